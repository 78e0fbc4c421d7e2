import { useEffect, useState } from 'react';

/** The redemption code that a printed link carries behind the #; it leaves the address bar and the history at once. */
export function useCodeOfLink(): string {
  const [code] = useState(() => new URLSearchParams(location.hash.slice(1)).get('code') ?? '');
  useEffect(() => {
    if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }, [code]);
  return code;
}
