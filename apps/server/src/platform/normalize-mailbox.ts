/** Many providers deliver `a.b+c@` to whoever has `ab@`. That others may then count as one does little harm. */
export function normalizeMailbox(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@', 2);
  return `${(local.split('+', 1)[0] ?? '').replaceAll('.', '')}@${domain}`;
}
