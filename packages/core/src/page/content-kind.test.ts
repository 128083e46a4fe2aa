// The kind of a response's content decides whether it is searched for links and which handler gets it.

import { describe, expect, it } from 'vitest';
import { type ContentKind, contentOf } from './content-kind.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const kindOf = (type: string, body = ''): ContentKind => contentOf([['Content-Type', type]], bytes(body)).kind;

describe('a declared media type', () => {
  const rows: [type: string, expected: ContentKind][] = [
    ['text/html', 'html'],
    ['text/html; charset=utf-8', 'html'],
    ['TEXT/HTML;charset=utf-8', 'html'],
    [' text/html ', 'html'],
    ['text/html, text/html', 'html'],
    ['application/xhtml+xml', 'html'],
    ['application/json', 'json'],
    ['application/ld+json', 'json'],
    ['application/rss+xml', 'xml'],
    ['text/xml', 'xml'],
    ['application/pdf', 'pdf'],
    ['image/png', 'image'],
    ['image/svg+xml', 'image'],
    ['text/plain', 'text'],
    ['text/css', 'text'],
    ['image/tiff', 'image'],
    ['application/octet-stream', 'other'],
    ['unknown/unknown', 'other'],
    ['application/htmlx', 'other'],
    ['constructor/x', 'other'],
  ];
  it.each(rows)('%s → %s', (type, expected) => {
    expect(kindOf(type)).toBe(expected);
  });

  it('is the last readable one, in lower case without parameters', () => {
    const headers = [
      ['content-type', 'text/plain'],
      ['Content-Type', 'Text/HTML; x'],
      ['content-type', 'nonsense'],
    ] as const;
    expect(contentOf(headers, bytes(''))).toEqual({ mime: 'text/html', kind: 'html', sniffedType: null });
  });
});

describe('no media type', () => {
  const rows: [body: string, expected: ContentKind][] = [
    ['<!DOCTYPE html><p>', 'html'],
    ['\n <html>', 'html'],
    ['\xef\xbb\xbf<head >', 'html'],
    ['<!-- x -->', 'html'],
    ['<p>', 'html'],
    ['<pre>', 'text'],
    ['<?xml version="1.0"?>', 'xml'],
    ['%PDF-1.7', 'pdf'],
    ['\x89PNG\r\n\x1a\n', 'image'],
    ['GIF89a', 'image'],
    ['\xff\xd8\xff\xe0', 'image'],
    ['RIFF\x01\x02\x03\x04WEBPVP8', 'image'],
    ['{"a":1}', 'text'],
    ['words', 'text'],
    ['words\0', 'other'],
    ['', 'other'],
  ];
  it.each(rows)('%j → %s', (body, expected) => {
    expect(contentOf([], bytes(body))).toMatchObject({ mime: null, kind: expected });
    expect(kindOf('nonsense', body)).toBe(expected);
    expect(kindOf('unknown/unknown', body)).toBe(expected);
  });
});

const PDF = '%PDF-1.7\n%\xe2\xe3\xcf\xd3';
const PNG = '\x89PNG\r\n\x1a\n';
const HTML = '<!doctype html><html><script>alert(1)</script>';
const RSS = '<?xml version="1.0"?><!-- x --><rss version="2.0">';
const BINARY = 'words\0\x01';

describe('a declaration and bytes that disagree', () => {
  const rows: [type: string, body: string, expected: ContentKind, reason: string][] = [
    ['text/html', PDF, 'pdf', 'a signature is what it says'],
    ['text/html', PNG, 'image', 'a signature is what it says'],
    ['text/plain', PDF, 'pdf', 'a signature is what it says'],
    ['application/json', PNG, 'image', 'a signature is what it says'],
    ['text/xml', PDF, 'pdf', 'a signature is what it says'],
    ['image/png', 'GIF89a', 'image', 'both are pictures'],
    ['image/png', PDF, 'pdf', 'a signature is what it says'],
    ['application/octet-stream', PDF, 'pdf', 'bytes may be anything'],
    ['application/octet-stream', PNG, 'image', 'bytes may be anything'],
    ['application/octet-stream', HTML, 'other', 'never HTML against a declaration'],
    ['text/plain', HTML, 'text', 'never HTML against a declaration'],
    ['application/json', HTML, 'json', 'between kinds of text the word counts'],
    ['text/xml', HTML, 'xml', 'between kinds of text the word counts'],
    ['application/pdf', HTML, 'other', 'neither a PDF nor HTML'],
    ['application/pdf', 'words', 'other', 'a PDF has a signature'],
    ['image/png', HTML, 'other', 'neither a picture nor HTML'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg">', 'image', 'a picture that is text'],
    ['image/svg+xml', '<?xml version="1.0"?><svg>', 'image', 'a picture that is text'],
    ['image/x-unheard-of', BINARY, 'image', 'a signature that we do not know'],
    ['text/html', RSS, 'xml', 'a feed under the type of pages'],
    ['application/xhtml+xml', '<?xml version="1.0"?><html>', 'html', 'XHTML is XML'],
    ['text/html', '<?xml version="1.0"?><!DOCTYPE html><html>', 'html', 'a page that begins with an XML declaration'],
    ['text/html', BINARY, 'other', 'no text'],
    ['text/html', '<html>\0<p>', 'html', 'HTML with a NUL is HTML'],
    ['text/html', 'words', 'html', 'HTML needs no tags'],
    ['text/plain', BINARY, 'other', 'no text'],
    ['text/plain; charset=utf-16le', 'w\0o\0', 'text', 'UTF-16 is full of NULs'],
    ['text/html', '\xff\xfe<\0p\0>\0', 'html', 'so is UTF-16 with a mark'],
    ['text/html', '%PDF', 'html', 'half a signature is none'],
  ];
  it.each(rows)('%s with %j is %s: %s', (type, body, expected) => {
    expect(kindOf(type, body)).toBe(expected);
  });

  it('are not inspected if the server says nosniff', () => {
    const headers = [
      ['Content-Type', 'text/html'],
      ['X-Content-Type-Options', 'NoSniff'],
    ] as const;
    expect(contentOf(headers, bytes(PDF))).toEqual({ mime: 'text/html', kind: 'html', sniffedType: 'pdf' });
  });

  it('are decided by the first bytes for polyglots', () => {
    expect(kindOf('text/html', `${PDF}\n<html><a href="/x">`)).toBe('pdf');
    expect(kindOf('text/html', `GIF89a/*<html>*/=1`)).toBe('image');
    expect(kindOf('image/gif', `<html>GIF89a`)).toBe('other');
  });
});
