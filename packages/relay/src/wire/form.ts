/** A form that has been found in its bytes. */
export interface Form {
  boundary: string;
  parts: readonly FormPart[];
}

export interface FormPart {
  name: string;
  /** Of a file; a text has none. */
  filename: string | undefined;
  contentType: string;
  /** Of the delimiter before it. */
  start: number;
  contentStart: number;
  /** Where the line break before the next delimiter begins. */
  contentEnd: number;
}
