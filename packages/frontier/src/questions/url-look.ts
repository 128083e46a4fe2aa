// What the gate and the clock say of one URL: the answer of `frontier.look`, for people and for `explain`.

import type { HostWait } from '../frontier-event.js';
import type { RobotsCopyRef } from '../work.js';

/** What the gate and the clock say of a URL now, without changing anything. */
export interface UrlLook {
  readonly url: string;
  readonly host: string;
  readonly authority: string;
  readonly isKnown: boolean;
  readonly gate:
    | {
        readonly kind: 'allow' | 'deny';
        readonly reason: string;
        readonly line: number | null;
        readonly pattern: string | null;
        readonly dialect: string | null;
      }
    | {
        readonly kind: 'hold';
        readonly reason: 'robots-unknown' | 'robots-unreachable';
        readonly untilMs: number | null;
      };
  readonly robots: RobotsCopyRef | null;
  readonly wait: HostWait | null;
}
