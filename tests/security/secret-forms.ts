/** A secret in every form in which it could leave unseen. */

/** What is left of a text whichever of the three places of a group of base64 it begins at. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift, ' '), bytes]).toString('base64');
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
}

/** Plain, base64, base64url, hex, and as a part of an address. */
export function listSecretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = base64Cores(bytes);
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  const everyByte = hex.replace(/../g, '%$&');
  const forms = [secret, ...base64, ...base64url, hex, hex.toUpperCase(), encodeURIComponent(secret), everyByte];
  return [...new Set([...forms, JSON.stringify(secret).slice(1, -1)])];
}
