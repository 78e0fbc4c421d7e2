import { createClient } from '@switchyard/contract/client';
import type { Send } from '@switchyard/contract/http-exchange';
import { mail } from '@switchyard/contract/operations/mail';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';

/** Longer than the server's twenty seconds for a mail server. */
const TEST_DEADLINE_MS = 30_000;
const sendPatiently: Send = (request) => send(request, TEST_DEADLINE_MS);

const api = createClient(mail, send);
const testApi = createClient(mail, sendPatiently);

const SHOWN = 20;

/** Query for the newest pending and failed mails. */
export const mailQueueQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: ({ signal }) => api.list({ query: { size: SHOWN } }, signal),
  refetchInterval: 10_000,
});

/** @returns the mail server's response */
export function useTestMail() {
  return useMutation({ mutationFn: (to: string) => testApi.test({ body: { to } }) });
}
