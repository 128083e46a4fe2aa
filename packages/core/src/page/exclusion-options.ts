// What a crawl does about what pages say: the options as `@mannerly/robots` takes them.

import {
  type ContentUse,
  PAGE_DEFAULTS,
  type PageOptions,
  type ResolvedPageOptions,
  resolvePageOptions,
} from '@mannerly/robots/page';

/** What is done about `rel=canonical`. */
export type CanonicalMode = 'expose' | 'dedupe' | 'follow';

/** The options, checked and complete. */
export interface ResolvedExclusionOptions {
  readonly page: ResolvedPageOptions;
  readonly canonical: CanonicalMode;
}

/** What holds without options. */
export const EXCLUSION_DEFAULTS: ResolvedExclusionOptions = Object.freeze({ page: PAGE_DEFAULTS, canonical: 'expose' });

type Applied = NonNullable<PageOptions['preferences']>;

/** The options in the groups in which a user gives them. */
export interface ExclusionGroups extends Pick<PageOptions, 'purposes' | 'indexInstead' | 'tdm'> {
  readonly pageLevel?: Pick<
    PageOptions,
    'noindex' | 'noarchive' | 'snippet' | 'images' | 'unavailableAfter' | 'robotsNoindex'
  >;
  readonly links?: Pick<PageOptions, 'pageNofollow' | 'rel'>;
  readonly preferences?:
    | Applied
    | {
        readonly apply?: Applied;
        readonly unknown?: 'allow' | 'disallow';
        readonly contentUse?: ContentUse | null;
      };
  readonly canonical?: CanonicalMode;
}

/** Options that were checked, with the rest filled in. @throws Never */
export function resolveExclusionOptions(options: ExclusionGroups): ResolvedExclusionOptions {
  const { pageLevel, links, purposes, indexInstead, tdm, canonical = EXCLUSION_DEFAULTS.canonical } = options;
  const preferences = typeof options.preferences === 'string' ? { apply: options.preferences } : options.preferences;
  const page = resolvePageOptions({
    ...pageLevel,
    ...links,
    purposes,
    indexInstead,
    tdm,
    preferences: preferences?.apply,
    unknownPreference: preferences?.unknown,
    contentUse: preferences?.contentUse,
  });
  return Object.freeze({ page, canonical });
}
