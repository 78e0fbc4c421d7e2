import { createClient } from '@switchyard/contract/client';
import { type QuoteRequest, quote } from '@switchyard/contract/playground/quote';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(quote, send);

/** Asks what a request would meet and cost; changes nothing, so nothing is read again afterwards. */
export const useAskQuote = () => useMutation({ mutationFn: (body: QuoteRequest) => api.ask({ body }) });
