/** Reading /data.txt, the discovery file. */
export { type Dataset, parseDataTxt } from './parse.js';
export { type DatasetOffer, dataTxtLifetimeMs, dataTxtOutcome, dataTxtUrl, viewDataTxt } from './selection.js';
