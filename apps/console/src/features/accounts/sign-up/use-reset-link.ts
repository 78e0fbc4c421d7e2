import { useEffect, useState } from 'react';
import { useSearchParams } from '../../../ui/filters/search-params.ts';

export interface ResetLink {
  email: string;
  token: string;
}

/**
 * Returns the parameters of the mail's reset link; undefined when one is missing. Removes the token at once from the
 * address bar and the history. Our links carry it behind the #; other servers' mails have it in the query.
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
