/** Font of the PDF documents, in both weights. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Font {
  hasGlyphForCodePoint(codePoint: number): boolean;
}

const find = createRequire(import.meta.url);
const fontkit = createRequire(find.resolve('pdfkit'))('fontkit') as { create(bytes: Buffer): Font };
const folder = join(dirname(dirname(find.resolve('@embedpdf/fonts-sc'))), 'fonts');
const fonts = ['Regular', 'Bold'].map((weight) =>
  fontkit.create(readFileSync(join(folder, `NotoSansHans-${weight}.otf`))),
);

/** Returns the characters for which a weight of the font has no glyph. */
export function listCharactersWithoutGlyph(text: string): string[] {
  return Array.from(text).filter((character) =>
    fonts.some((font) => !font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)),
  );
}
