/** Whose records may be seen: one user's, without the channels, or everybody's. */
export type Viewer = { userId: number } | 'administrator';

export function userIdOf(viewer: Viewer): number | undefined {
  return viewer === 'administrator' ? undefined : viewer.userId;
}
