/** Reads the text of our PDFs: the glyphs of each page by the font's character table. */
import { inflateSync } from 'node:zlib';

export interface PdfText {
  /** Lines of each page, in drawing order. */
  pages: string[][];
  info: string;
  fonts: string[];
}

/** @throws Error if the structure is unexpected */
export function readPdf(bytes: Uint8Array): PdfText {
  const objects = parseObjects(Buffer.from(bytes).toString('latin1'));
  const all = [...objects.values()];
  const pages = all.filter(({ dictionary }) => /\/Type \/Page\b/.test(dictionary));
  return {
    pages: pages.map((page) => readLines(page.dictionary, objects)),
    info: all.find(({ dictionary }) => dictionary.includes('/Producer'))?.dictionary ?? '',
    fonts: all.flatMap(({ dictionary }) => /\/FontName \/(\S+)/.exec(dictionary)?.[1] ?? []),
  };
}

interface PdfObject {
  dictionary: string;
  stream: string;
}

function parseObjects(text: string): Map<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  for (const [, id = '', body = ''] of text.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj$/gm)) {
    const [dictionary = '', packed] = body.split(/\nstream\n/);
    const bytes = Buffer.from(packed?.replace(/\nendstream$/, '') ?? '', 'latin1');
    const unpacked = dictionary.includes('/FlateDecode') ? inflateSync(bytes) : bytes;
    objects.set(id, { dictionary, stream: unpacked.toString('latin1') });
  }
  return objects;
}

function readLines(page: string, objects: ReadonlyMap<string, PdfObject>): string[] {
  const content = requireObject(objects, /\/Contents (\d+) 0 R/.exec(page)?.[1]).stream;
  const resources = requireObject(objects, /\/Resources (\d+) 0 R/.exec(page)?.[1]).dictionary;
  const fonts = new Map<string, ReadonlyMap<string, string>>();
  for (const [, name = '', id] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g))
    fonts.set(name, readCharacterMap(requireObject(objects, id).dictionary, objects));
  const lines: string[] = [];
  let font: ReadonlyMap<string, string> = new Map();
  for (const [operation, name, glyphs = ''] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[(.*?)\] TJ/g)) {
    if (name !== undefined) font = fonts.get(name) ?? new Map();
    if (!operation.endsWith('TJ')) continue;
    const codes = [...glyphs.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    lines.push(codes.map((code) => font.get(code) ?? '?').join(''));
  }
  return lines;
}

/** Reads `/ToUnicode`: the first glyph of a range, and a list of the characters from it on. */
function readCharacterMap(font: string, objects: ReadonlyMap<string, PdfObject>): Map<string, string> {
  const table = requireObject(objects, /\/ToUnicode (\d+) 0 R/.exec(font)?.[1]).stream;
  const characters = new Map<string, string>();
  for (const [, first = '', list = ''] of table.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[(.*?)\]/g))
    for (const [index, [, hex = '']] of [...list.matchAll(/<([0-9a-f]*)>/g)].entries())
      characters.set(
        (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0'),
        Buffer.from(hex, 'hex').swap16().toString('utf16le'),
      );
  return characters;
}

function requireObject(objects: ReadonlyMap<string, PdfObject>, id: string | undefined): PdfObject {
  const object = objects.get(id ?? '');
  if (object === undefined) throw new Error(`there is no object ${id}`);
  return object;
}
