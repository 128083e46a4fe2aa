// The options of exclusion. A option that is misspelt and silently ignored would be a courtesy that its user believes in.

import { describe, expect, it } from 'vitest';
import { MannerlyError } from '../errors.js';
import {
  EXCLUSION_DEFAULTS,
  type ExclusionOptions,
  relaxedExclusionDefaults,
  resolveExclusionOptions,
} from './exclusion-options.js';

describe('the options of exclusion', () => {
  it('are all on where nothing is said', () => {
    const options = resolveExclusionOptions({});
    expect(options).toEqual(EXCLUSION_DEFAULTS);
    expect(relaxedExclusionDefaults(options)).toEqual([]);
  });

  it('find their places', () => {
    const { page, canonical } = resolveExclusionOptions({
      purposes: ['tdm'],
      pageLevel: { noindex: 'flag' },
      links: { rel: { ugc: false } },
      preferences: { unknown: 'disallow' },
      canonical: 'dedupe',
    });
    expect(page).toMatchObject({
      purposes: ['tdm'],
      noindex: 'flag',
      rel: { nofollow: false, ugc: false, sponsored: true },
      unknownPreference: 'disallow',
      preferences: 'respect',
    });
    expect(canonical).toBe('dedupe');
    expect(resolveExclusionOptions({ preferences: 'off' }).page.preferences).toBe('off');
  });

  const mistakes: [options: unknown, code: string, named: string][] = [
    [{ pageLevel: { noindexx: 'flag' } }, 'option-unknown', 'pageLevel.noindexx'],
    [{ pageLevel: { noindex: 'skip' } }, 'option-invalid', 'noindex'],
    [{ pageLevel: 'off' }, 'option-invalid', 'pageLevel'],
    [{ links: { rel: { nofolow: true } } }, 'option-unknown', 'nofolow'],
    [{ links: { nofollow: true } }, 'option-unknown', 'links.nofollow'],
    [{ purposes: ['train'] }, 'option-invalid', 'purposes'],
    [{ tdm: false }, 'option-invalid', 'tdm'],
    [{ preferences: 'none' }, 'option-invalid', 'preferences'],
    [{ preferences: { contentUse: 'some' } }, 'option-invalid', 'contentUse'],
    [{ canonical: 'ignore' }, 'option-invalid', 'canonical'],
    [{ indexInstead: true }, 'option-invalid', 'indexInstead'],
  ];
  it.each(mistakes)('%j is refused as %s, naming %s', (options, code, named) => {
    const attempt = (): unknown => resolveExclusionOptions(options as ExclusionOptions);
    expect(attempt).toThrow(MannerlyError);
    expect(attempt).toThrow(expect.objectContaining({ code, message: expect.stringContaining(named) }));
  });

  const departures: [options: ExclusionOptions, named: string][] = [
    [{ pageLevel: { noindex: 'ignore' } }, 'pageLevel.noindex'],
    [{ pageLevel: { noindex: 'flag' } }, 'pageLevel.noindex'],
    [{ pageLevel: { noarchive: 'ignore' } }, 'pageLevel.noarchive'],
    [{ pageLevel: { snippet: 'ignore' } }, 'pageLevel.snippet'],
    [{ pageLevel: { images: 'ignore' } }, 'pageLevel.images'],
    [{ pageLevel: { unavailableAfter: 'ignore' } }, 'pageLevel.unavailableAfter'],
    [{ pageLevel: { robotsNoindex: 'expose' } }, 'pageLevel.robotsNoindex'],
    [{ links: { pageNofollow: 'ignore' } }, 'links.pageNofollow'],
    [{ links: { rel: { nofollow: true } } }, 'links.rel.nofollow'],
    [{ tdm: 'off' }, 'tdm'],
    [{ preferences: 'observe' }, 'preferences'],
    [{ indexInstead: 'expose' }, 'indexInstead'],
  ];
  it.each(departures)('%j is told in the report as %s (page-level, DECISION L14)', (options, named) => {
    expect(relaxedExclusionDefaults(resolveExclusionOptions(options))).toEqual([
      expect.stringContaining(`\`${named}\``),
    ]);
  });

  it('that ask for more than the default are no departure', () => {
    const options = resolveExclusionOptions({
      pageLevel: { noindex: 'skip-handler' },
      links: { rel: { ugc: false } },
      preferences: { unknown: 'disallow' },
    });
    expect(relaxedExclusionDefaults(options)).toEqual([]);
  });
});
