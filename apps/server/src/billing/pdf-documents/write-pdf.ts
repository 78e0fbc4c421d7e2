/** Writes a document as PDF: A4, one font in two weights, of which only the used glyphs are embedded. */
import PdfKit from 'pdfkit';
import type { PdfColumn, PdfDocument, PdfTable } from './pdf-documents.ts';
import { toPrintable } from './printable-text.ts';

export interface Fonts {
  regular: Uint8Array;
  bold: Uint8Array;
}

/** Page margin of A4 paper, in points. */
const MARGIN = 48;
const REGULAR = 'regular';
const BOLD = 'bold';
const TEXT_COLOUR = '#14181f';
const SECONDARY_COLOUR = '#545d6b';
const FACT_LABEL_WIDTH = 110;

export async function writePdf(document: PdfDocument, fonts: Fonts): Promise<Uint8Array<ArrayBuffer>> {
  const { language, siteName, createdAt } = document;
  const name = toPrintable(siteName);
  const pdf = new PdfKit({
    size: 'A4',
    margin: MARGIN,
    lang: language,
    bufferPages: true,
    info: { Creator: name, Producer: name, CreationDate: new Date(createdAt * 1000) },
  });
  const bytes = collectBytes(pdf);
  pdf.registerFont(REGULAR, Buffer.from(fonts.regular));
  pdf.registerFont(BOLD, Buffer.from(fonts.bold));
  drawHead(pdf, document);
  for (const table of document.tables) drawTable(pdf, table);
  drawNote(pdf, document.note);
  drawFooters(pdf, document.footer);
  pdf.end();
  return bytes;
}

function collectBytes(pdf: PDFKit.PDFDocument): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    pdf.on('error', reject);
  });
}

function drawHead(pdf: PDFKit.PDFDocument, { title, issuer, facts }: PdfDocument): void {
  const [name = '', ...lines] = issuer;
  pdf.font(BOLD).fontSize(11).fillColor(TEXT_COLOUR).text(name);
  pdf.font(REGULAR).fontSize(9).fillColor(SECONDARY_COLOUR);
  for (const line of lines) pdf.text(line);
  pdf.moveDown(2).font(BOLD).fontSize(20).fillColor(TEXT_COLOUR).text(title);
  pdf.moveDown(0.4).fontSize(9);
  for (const [label, value] of facts) {
    const top = pdf.y;
    pdf.font(REGULAR).fillColor(SECONDARY_COLOUR).text(label, MARGIN, top, { width: FACT_LABEL_WIDTH });
    const below = pdf.y;
    pdf.fillColor(TEXT_COLOUR).text(value, MARGIN + FACT_LABEL_WIDTH, top);
    pdf.x = MARGIN;
    pdf.y = Math.max(below, pdf.y) + 2;
  }
}

function drawNote(pdf: PDFKit.PDFDocument, note: string): void {
  if (note === '') return;
  pdf
    .font(REGULAR)
    .fontSize(9)
    .fillColor(SECONDARY_COLOUR)
    .text(note, MARGIN, pdf.y + 20);
}

function drawFooters(pdf: PDFKit.PDFDocument, footer: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let index = 0; index < count; index += 1) {
    pdf.switchToPage(start + index);
    const text = footer.replace('{{page}}', String(index + 1)).replace('{{pages}}', String(count));
    // With a bottom margin, text this low would move to the next page.
    pdf.page.margins.bottom = 0;
    pdf
      .font(REGULAR)
      .fontSize(8)
      .fillColor(SECONDARY_COLOUR)
      .text(text, MARGIN, pdf.page.height - 32, {
        align: 'center',
        lineBreak: false,
        width: pdf.page.width - 2 * MARGIN,
      });
  }
}

const BORDER_COLOUR = '#e3e6eb';
const CELL_GAP = 8;
const ROW_PADDING = 3.5;
const LINES_MAX = 3;
const SIZE = 8.5;

interface Column extends PdfColumn {
  left: number;
  points: number;
}

/** Draws a table, and repeats its heads on every page. */
function drawTable(pdf: PDFKit.PDFDocument, { heading, columns, rows, total }: PdfTable): void {
  const placed = layOutColumns(columns, pdf.page.width - 2 * MARGIN);
  const heads = placed.map(({ head }) => head);
  const drawHeads = (): void => {
    pdf.fillColor(SECONDARY_COLOUR);
    drawRow(pdf, placed, heads, BOLD);
  };
  pdf.y += 20;
  const first = rows[0] ?? heads;
  // Keeps the heading together with the first row.
  if (!hasRoom(pdf, 24 + measureRow(pdf, placed, heads, BOLD) + measureRow(pdf, placed, first, REGULAR))) pdf.addPage();
  pdf.font(BOLD).fontSize(11).fillColor(TEXT_COLOUR).text(heading, MARGIN, pdf.y);
  pdf.y += 4;
  drawHeads();
  for (const row of rows) {
    if (!hasRoom(pdf, measureRow(pdf, placed, row, REGULAR))) {
      pdf.addPage();
      drawHeads();
    }
    pdf.fillColor(TEXT_COLOUR);
    drawRow(pdf, placed, row, REGULAR);
  }
  if (total === undefined) return;
  if (!hasRoom(pdf, measureRow(pdf, placed, total, BOLD))) pdf.addPage();
  pdf.fillColor(TEXT_COLOUR);
  drawRow(pdf, placed, total, BOLD);
}

function layOutColumns(columns: readonly PdfColumn[], width: number): Column[] {
  const parts = columns.reduce((sum, column) => sum + column.width, 0);
  let left = MARGIN;
  return columns.map((column) => {
    const points = (column.width / parts) * width;
    const placed = { ...column, left, points: points - CELL_GAP };
    left += points;
    return placed;
  });
}

function measureRow(
  pdf: PDFKit.PDFDocument,
  columns: readonly Column[],
  cells: readonly string[],
  font: string,
): number {
  const line = pdf.font(font).fontSize(SIZE).currentLineHeight(true);
  const heights = columns.map(({ points }, index) => pdf.heightOfString(cells[index] ?? '', { width: points }));
  return Math.min(Math.max(line, ...heights), LINES_MAX * line) + 2 * ROW_PADDING;
}

function hasRoom(pdf: PDFKit.PDFDocument, height: number): boolean {
  return pdf.y + height <= pdf.page.height - MARGIN;
}

function drawRow(pdf: PDFKit.PDFDocument, columns: readonly Column[], cells: readonly string[], font: string): void {
  const top = pdf.y;
  const height = measureRow(pdf, columns, cells, font);
  for (const [index, { left, points, align }] of columns.entries())
    pdf.text(cells[index] ?? '', left, top + ROW_PADDING, {
      width: points,
      // Slightly more than the height of the lines; otherwise the last one is cut off.
      height: height - 2 * ROW_PADDING + 1,
      ellipsis: true,
      align,
    });
  const bottom = top + height;
  pdf
    .moveTo(MARGIN, bottom)
    .lineTo(pdf.page.width - MARGIN, bottom)
    .lineWidth(0.5)
    .strokeColor(BORDER_COLOUR)
    .stroke();
  pdf.x = MARGIN;
  pdf.y = bottom;
}
