// Bounds of the test kit, which a correct test never reaches.

export const MAX_TIMER_MS = 2 ** 31 - 1; // the longest delay that the platform's timers take, milliseconds
/** Start of a virtual clock, epoch milliseconds: 1 January 2026, so that a test prints the same dates each time. */
export const VIRTUAL_START_MS = Date.UTC(2026, 0, 1);
/** Timers that fire in one `finish`: ten microseconds each. A day takes some 26,000, a request about thirty. */
export const MAX_VIRTUAL_STEPS = 5_000_000;
/** Virtual milliseconds of one run: longer than the 30 days of an unreachable robots.txt, and than a year. */
export const MAX_VIRTUAL_MS = 400 * 86_400_000;
/** Real milliseconds that time stands still for files. Longer work (a terminal, a pipe) never ends. */
export const REAL_WORK_MS = 10_000;
/** Real milliseconds that time stands still for an answer of another thread. Longer ones are no loading module. */
export const REAL_LOAD_MS = 1_000;
export const MAX_STILL_MS = 30_000; // real milliseconds that `standStill` may take
/** Real milliseconds in which something must happen if no timer is left: less than the 5 s of test runners. */
export const REAL_GRACE_MS = 4_000;
/** Addresses of fake hosts: 198.18.0.0/15, reserved for network tests (RFC 2544), so no site has them. */
export const FAKE_ADDRESSES = 2 ** 17;
export const MAX_FOLDER_FILES = 100_000; // files of a folder that a fake site serves
export const MAX_FAKE_ARCHIVE_BYTES = 256 * 1024 * 1024; // bytes of bodies that a fake web loads from an archive
