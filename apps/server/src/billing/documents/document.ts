/** A document as data, which a thread of its own makes into a PDF. */
export interface PdfDocument {
  /** Language of the texts as a BCP 47 tag. */
  language: string;
  /** The only thing that the file says of itself. */
  siteName: string;
  /** UTC seconds: the same content gives the same bytes. */
  createdAt: number;
  title: string;
  /** Lines about the issuer; the first one stands out. */
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
