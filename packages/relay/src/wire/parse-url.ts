/**
 * Maximum characters of a host that is parsed. `URL` encodes other letters than ASCII's in time by the square of their number
 * (Punycode), and the internet has no name of more than 253: https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4
 */
const HOST_MAX = 512;

/** Characters that `URL` ignores anywhere in its input. */
const ignored = /[\t\n\r]+/g;
/** Pattern of the part that `URL` reads as user, host and port: slashes of either kind, and any number of them, precede it. */
const authority = /^(?:[^:/\\?#]*:[/\\]*| *[/\\]{2,})([^/\\?#]*)/;

/**
 * Parses an address that somebody else chose: a vendor or a user.
 * @returns undefined for an invalid address, or one whose host is too long to be parsed quickly
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  const [, named = ''] = authority.exec(text.replaceAll(ignored, '')) ?? [];
  if (named.length - (named.lastIndexOf('@') + 1) > HOST_MAX) return undefined;
  return URL.parse(text, base) ?? undefined;
}
