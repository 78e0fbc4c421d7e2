import type { ChannelSelection } from '@switchyard/contract/channels/channel-edits';
import { BULK_EDIT_MAX } from '@switchyard/contract/channels/channel-edits';
import type { ChannelFilter } from '@switchyard/contract/channels/channels';
import { providers } from '@switchyard/relay';
import { contains } from '../../db/paging.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import { type ChannelRow, hasModelContaining, isInGroup, type selectChannels } from './queries.ts';

type ChannelQuery = ReturnType<typeof selectChannels>;

/** Filters channels, for lists and for bulk edits of all matches. */
export function filterChannels(channels: ChannelQuery, filter: ChannelFilter): ChannelQuery {
  const { keyword, name, type, status, group, models, tag } = filter;
  let query = channels;
  if (name !== undefined) query = query.where(contains('channel.name', name));
  if (type !== undefined) query = query.where('channel.provider', '=', findProviderId(type));
  if (status !== undefined) query = query.where('channel.status', '=', status);
  if (group !== undefined) query = query.where(isInGroup(group));
  if (models !== undefined) query = query.where(hasModelContaining(models));
  if (tag !== undefined) query = query.where('channel.tag', '=', tag);
  if (keyword !== undefined) {
    query = query.where((eb) =>
      eb.or([contains('channel.name', keyword), contains('channel.tag', keyword), hasModelContaining(keyword)]),
    );
  }
  return query;
}

/**
 * Finds the selected channels, oldest first, ignoring unknown ids. @throws AppError when more match than the limit
 */
export async function findSelectedChannels(
  channels: ChannelQuery,
  { ids, filter }: ChannelSelection,
): Promise<ChannelRow[]> {
  const named = ids === undefined ? channels : channels.where('channel.id', 'in', ids);
  const rows = await filterChannels(named, filter ?? {})
    .orderBy('channel.id')
    .limit(BULK_EDIT_MAX + 1)
    .execute();
  if (rows.length > BULK_EDIT_MAX) throw fieldError('where', 'too_big', `More than ${BULK_EDIT_MAX} channels match`);
  return rows;
}

function findProviderId(type: number): string {
  return providers.find(({ channelType }) => channelType === type)?.id ?? '';
}
