/**
 * Returns a canonical form of an address for rate limits. Many providers deliver `a.b+c@` to the owner of `ab@`; that
 * different users of other providers may share a limit does little harm.
 */
export function normalizeMailbox(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@', 2);
  return `${(local.split('+', 1)[0] ?? '').replaceAll('.', '')}@${domain}`;
}
