/** Document as data, which a worker thread renders to a PDF. */
export interface PdfDocument {
  /** Language of the texts as a BCP 47 tag. */
  language: string;
  /** Author in the file's metadata. */
  siteName: string;
  /** UTC seconds, so that the same content yields the same bytes. */
  createdAt: number;
  title: string;
  /** Lines about the issuer; the first one is emphasized. */
  issuer: readonly string[];
  /** Label and value, below the title. */
  facts: readonly (readonly [string, string])[];
  tables: readonly PdfTable[];
  note: string;
  /** Footer of each page; `{{page}}` and `{{pages}}` are replaced. */
  footer: string;
}

export interface PdfTable {
  heading: string;
  columns: readonly PdfColumn[];
  rows: readonly (readonly string[])[];
  /** Emphasized row below the others. */
  total?: readonly string[];
}

export interface PdfColumn {
  head: string;
  /** Relative width within the table. */
  width: number;
  align: 'left' | 'right';
}
