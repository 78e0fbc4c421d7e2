/** A form that has been found in its bytes. */
export interface Form {
  boundary: string;
  parts: readonly FormPart[];
}

export interface FormPart {
  name: string;
  /** Name of a file; undefined for a text. */
  filename: string | undefined;
  contentType: string;
  /** Position of the delimiter before the part. */
  start: number;
  contentStart: number;
  /** Position of the line break before the next delimiter. */
  contentEnd: number;
}
