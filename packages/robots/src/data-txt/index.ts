/** The front door of `@mannerly/robots/data-txt`: reading /data.txt, the discovery file. */
export type { DataRecord, Dataset, DataTxt, DataTxtDiagnostic } from './parse.js';
export { type DataTxtOptions, parseDataTxt } from './parse.js';
export {
  type DatasetOffer,
  type DataTxtDecision,
  type DataTxtView,
  decideDataTxt,
  selectDatasets,
  viewDataTxt,
} from './selection.js';
export {
  type DataTxtAnswer,
  type DataTxtOutcome,
  dataTxtLifetimeMs,
  dataTxtOutcome,
  dataTxtRetryMs,
  dataTxtUrl,
} from './status.js';
