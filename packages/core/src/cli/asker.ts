// Somebody at the terminal who can be asked. The library that draws the questions is loaded with the first of them.

/** One question, answered by a line of text. */
export interface Question {
  readonly message: string;
  /** Shown where nothing is typed yet. */
  readonly example?: string;
  /** Stands there from the beginning, to be changed. */
  readonly initial?: string;
  /** What is wrong with an answer; `null`: nothing. */
  readonly fault: (answer: string) => string | null;
}

/** Asks; a question is repeated until its answer has no fault. */
export interface Asker {
  /** @returns The answer without blanks around it; `null`: the person does not want to go on. */
  ask(question: Question): Promise<string | null>;
}

/** A terminal as an asker. @param output - Standard error: standard output is for results. */
export function terminalAsker(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Asker {
  return {
    async ask({ message, example, initial, fault }) {
      const { isCancel, text } = await import('@clack/prompts');
      const answer = await text({
        message,
        input,
        output,
        ...(example === undefined ? {} : { placeholder: example }),
        ...(initial === undefined ? {} : { initialValue: initial }),
        validate: (value = '') => fault(value.trim()) ?? undefined,
      });
      return isCancel(answer) ? null : answer.trim();
    },
  };
}
