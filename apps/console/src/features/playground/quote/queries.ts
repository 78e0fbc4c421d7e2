import { createClient } from '@switchyard/contract/client';
import { type QuoteRequest, quote } from '@switchyard/contract/playground/quote';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(quote, send);

/** Requests a quote. No query is invalidated, because a quote changes nothing. */
export const useAskQuote = () => useMutation({ mutationFn: (body: QuoteRequest) => api.ask({ body }) });
