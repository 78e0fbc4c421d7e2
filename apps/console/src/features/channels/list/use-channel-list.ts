import type { ChannelFilter } from '@switchyard/contract/channels/channels';
import { oneOf, useListState } from '../../../ui/table/list-state.ts';
import { channelFilterNames } from './channel-filters.tsx';
import { channelStatuses } from './channel-labels.tsx';

/** Returns the list state of the URL and the filter in the API's form. */
export function useChannelList() {
  const list = useListState(channelFilterNames, '-priority');
  const type = Number(list.filters.type);
  const filter: ChannelFilter = {
    keyword: list.keyword === '' ? undefined : list.keyword,
    type: list.filters.type !== undefined && Number.isInteger(type) ? type : undefined,
    status: oneOf(list.filters.status, channelStatuses),
    group: list.filters.group,
    tag: list.filters.tag,
  };
  return { list, filter };
}
