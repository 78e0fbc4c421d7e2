import { ApiError } from '@switchyard/contract/http-exchange';
import { QueryClient } from '@tanstack/react-query';

const MAX_RETRIES = 2;

/** Returns whether to retry: not after an error response, except 502 and above. */
function worthRetrying(failures: number, error: unknown): boolean {
  if (failures >= MAX_RETRIES) return false;
  return !(error instanceof ApiError) || error.status >= 502;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 10_000, retry: worthRetrying, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
