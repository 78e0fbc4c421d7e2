import { useEffect, useState } from 'react';
import { useSearchParams } from '../../../ui/filters/search-params.ts';

export interface ResetLink {
  email: string;
  token: string;
}

/**
 * What the link in the mail carries; undefined when something is missing. The token leaves the address bar and the
 * history at once. Ours stands behind the #; other servers' mails have it in the query.
 */
export function useResetLink(): ResetLink | undefined {
  const { email = '', token: inQuery = '' } = useSearchParams();
  const [link] = useState(() => ({
    email,
    token: new URLSearchParams(location.hash.slice(1)).get('token') ?? inQuery,
  }));
  useEffect(() => {
    if (link.token === '') return;
    const search = new URLSearchParams({ email: link.email });
    history.replaceState(history.state, '', `${location.pathname}?${search}`);
  }, [link]);
  return link.email === '' || link.token === '' ? undefined : link;
}
