/** Viewer of records: one user, who sees their own without the channels, or an administrator, who sees everybody's. */
export type Viewer = { userId: number } | 'administrator';

export function getViewerUserId(viewer: Viewer): number | undefined {
  return viewer === 'administrator' ? undefined : viewer.userId;
}
