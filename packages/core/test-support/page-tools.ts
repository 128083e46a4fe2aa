// The tools of pages in tests: nothing is requested or written.

export const NO_TOOLS = {
  filesPath: null,
  fetch: async (_page: unknown, url: string) => ({ kind: 'dropped', url, reason: 'hook-refused' }) as const,
  read: () => Promise.reject(new Error('nothing is read')),
};
