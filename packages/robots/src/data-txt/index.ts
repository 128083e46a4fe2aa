/** Reading /data.txt, the discovery file. */
export { type Dataset, type DataTxt, parseDataTxt } from './parse.js';
export { type DatasetOffer, viewDataTxt } from './selection.js';
export { dataTxtLifetimeMs, dataTxtOutcome, dataTxtRetryMs, dataTxtUrl } from './status.js';
