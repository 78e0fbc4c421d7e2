import type { ChannelId } from '@switchyard/contract/ids';
import { paths } from '../../paths.ts';

/** The editor's page of a channel, or of a new one. */
export function channelPath(id: ChannelId | 'new'): string {
  return `${paths.channels}/${id}`;
}
