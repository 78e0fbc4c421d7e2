/** A document as data, which a thread of its own makes into a PDF. */
export interface PdfDocument {
  /** Of the texts, as BCP 47 names it. */
  language: string;
  /** The only thing that the file says of itself. */
  siteName: string;
  /** UTC seconds: the same content gives the same bytes. */
  createdAt: number;
  title: string;
  /** Who issues it: the first line stands out. */
  issuer: readonly string[];
  /** Label and value, below the title. */
  facts: readonly (readonly [string, string])[];
  tables: readonly PdfTable[];
  note: string;
  /** Below each page; `{{page}}` and `{{pages}}` are filled in. */
  footer: string;
}

export interface PdfTable {
  heading: string;
  columns: readonly PdfColumn[];
  rows: readonly (readonly string[])[];
  /** Stands out below the rows. */
  total?: readonly string[];
}

export interface PdfColumn {
  head: string;
  /** Parts of the table's width. */
  width: number;
  align: 'left' | 'right';
}
