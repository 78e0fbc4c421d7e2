import type { PdfColumn, PdfTable } from './document.ts';
import { BOLD, MARGIN, QUIET_COLOUR, REGULAR, TEXT_COLOUR } from './page-style.ts';

const BORDER_COLOUR = '#e3e6eb';
const CELL_GAP = 8;
const ROW_PADDING = 3.5;
const LINES_MAX = 3;
const SIZE = 8.5;

interface Column extends PdfColumn {
  left: number;
  points: number;
}

/** Continues on the next page under the same heads. */
export function drawTable(pdf: PDFKit.PDFDocument, { heading, columns, rows, total }: PdfTable): void {
  const placed = place(columns, pdf.page.width - 2 * MARGIN);
  const heads = placed.map(({ head }) => head);
  const drawHeads = (): void => {
    pdf.fillColor(QUIET_COLOUR);
    drawRow(pdf, placed, heads, BOLD);
  };
  pdf.y += 20;
  const first = rows[0] ?? heads;
  // The heading does not stand alone at the end of a page.
  if (!fits(pdf, 24 + heightOf(pdf, placed, heads, BOLD) + heightOf(pdf, placed, first, REGULAR)))
    pdf.addPage();
  pdf.font(BOLD).fontSize(11).fillColor(TEXT_COLOUR).text(heading, MARGIN, pdf.y);
  pdf.y += 4;
  drawHeads();
  for (const row of rows) {
    if (!fits(pdf, heightOf(pdf, placed, row, REGULAR))) {
      pdf.addPage();
      drawHeads();
    }
    pdf.fillColor(TEXT_COLOUR);
    drawRow(pdf, placed, row, REGULAR);
  }
  if (total === undefined) return;
  if (!fits(pdf, heightOf(pdf, placed, total, BOLD))) pdf.addPage();
  pdf.fillColor(TEXT_COLOUR);
  drawRow(pdf, placed, total, BOLD);
}

function place(columns: readonly PdfColumn[], width: number): Column[] {
  const parts = columns.reduce((sum, column) => sum + column.width, 0);
  let left = MARGIN;
  return columns.map((column) => {
    const points = (column.width / parts) * width;
    const placed = { ...column, left, points: points - CELL_GAP };
    left += points;
    return placed;
  });
}

function heightOf(
  pdf: PDFKit.PDFDocument,
  columns: readonly Column[],
  cells: readonly string[],
  font: string,
): number {
  const line = pdf.font(font).fontSize(SIZE).currentLineHeight(true);
  const heights = columns.map(({ points }, index) =>
    pdf.heightOfString(cells[index] ?? '', { width: points }),
  );
  return Math.min(Math.max(line, ...heights), LINES_MAX * line) + 2 * ROW_PADDING;
}

function fits(pdf: PDFKit.PDFDocument, height: number): boolean {
  return pdf.y + height <= pdf.page.height - MARGIN;
}

function drawRow(
  pdf: PDFKit.PDFDocument,
  columns: readonly Column[],
  cells: readonly string[],
  font: string,
): void {
  const top = pdf.y;
  const height = heightOf(pdf, columns, cells, font);
  for (const [index, { left, points, align }] of columns.entries())
    pdf.text(cells[index] ?? '', left, top + ROW_PADDING, {
      width: points,
      // A little more than the lines are high, or the last one is taken for too many.
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
