/** All forms in which a secret could leave undetected. */

/** Returns the constant part of a text's base64 at each of the three offsets of a group. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift, ' '), bytes]).toString('base64');
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
}

/** Unchanged, base64, base64url, hex, and as a part of an address. */
export function listSecretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = base64Cores(bytes);
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  const everyByte = hex.replace(/../g, '%$&');
  const forms = [secret, ...base64, ...base64url, hex, hex.toUpperCase(), encodeURIComponent(secret), everyByte];
  return [...new Set([...forms, JSON.stringify(secret).slice(1, -1)])];
}
