import type { ChannelId } from '@switchyard/contract/ids';
import { paths } from '../../paths.ts';

/** Returns the path of a channel's editor. */
export function channelPath(id: ChannelId | 'new'): string {
  return `${paths.channels}/${id}`;
}
