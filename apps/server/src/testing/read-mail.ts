/** Parses a mail as it was sent: headers, and the parts of its text. */

export interface ParsedMail {
  /** Headers by lower-case name; folded lines are joined, encoded words decoded. */
  headers: ReadonlyMap<string, string>;
  text: string;
  html: string;
}

interface Part {
  headers: ReadonlyMap<string, string>;
  body: string;
}

export function parseMail(raw: string): ParsedMail {
  const mail = parsePart(raw);
  const boundary = /boundary="?([^";]+)/.exec(mail.headers.get('content-type') ?? '')?.[1];
  const parts =
    boundary === undefined
      ? [mail]
      : mail.body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => parsePart(part.replace(/^\r\n/, '')));
  const bodyOf = (type: string): string => {
    const part = parts.find(({ headers }) => headers.get('content-type')?.startsWith(type));
    return part === undefined ? '' : decodePart(part);
  };
  return { headers: mail.headers, text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

function parsePart(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
  });
  return { headers: new Map(headers), body: raw.slice(end + 4) };
}

function decodePart({ headers, body }: Part): string {
  const encoding = headers.get('content-transfer-encoding') ?? '7bit';
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? decodeQuotedPrintable(body.replace(/=\r\n/g, ''))
        : body;
  return text.replaceAll('\r\n', '\n').trimEnd();
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Decodes words of RFC 2047. The space between two encoded words is dropped. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuotedPrintable(word.replaceAll('_', ' ')),
    );
}
