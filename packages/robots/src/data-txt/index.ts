/** Reading /data.txt, the discovery file. */
export { type Dataset, parseDataTxt } from './parse.js';
export { type DatasetOffer, viewDataTxt } from './selection.js';
export { dataTxtLifetimeMs, dataTxtOutcome, dataTxtUrl } from './status.js';
