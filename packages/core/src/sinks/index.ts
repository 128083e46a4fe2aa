// Sinks other than files: `mannerly/sinks`. Their libraries are loaded when a sink is opened.

export { postgresSink } from './postgres-sink.js';
export { s3Sink } from './s3-sink.js';
export { sqliteSink } from './sqlite-sink.js';
export { webhookSink } from './webhook-sink.js';
