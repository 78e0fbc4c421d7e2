import type { Quote } from '@switchyard/contract/playground/quote';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Facts } from '../../../ui/display/facts.tsx';
import { Money } from '../../../ui/display/money.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useGroupName } from '../../accounts/user-groups/queries.ts';

/** Shows the tokens and the amounts of the reservation. */
export function QuoteFacts({ answer }: { answer: Quote }) {
  const { t } = useTranslation('quote');
  const format = useFormat();
  const offerFacts = useOfferFacts(answer.offer);
  const { model, input_tokens, output_tokens } = answer;
  return (
    <Facts
      facts={[
        [t('model'), <Mono key="model">{model}</Mono>],
        [t('prompt'), t('tokens', { count: input_tokens, tokens: format.number(input_tokens) })],
        [t('output'), t('tokens', { count: output_tokens, tokens: format.number(output_tokens) })],
        ...offerFacts,
      ]}
    />
  );
}

function useOfferFacts(offer: Quote['offer']): [name: string, value: ReactNode][] {
  const { t } = useTranslation('quote');
  const groupName = useGroupName();
  if (offer === null) return [];
  const { group, price_model, price_type, hold, input_cost, cost_per_1000_output_tokens } = offer;
  return [
    [t('group'), groupName(group)],
    [t('priceEntry'), <Mono key="price">{price_model}</Mono>],
    [t('hold'), <Money key="hold" points={hold} />],
    ...(price_type === 'times'
      ? [fact(t('callCost'), input_cost)]
      : [fact(t('promptCost'), input_cost), fact(t('outputCost'), cost_per_1000_output_tokens)]),
  ];
}

function fact(name: string, points: number): [name: string, value: ReactNode] {
  return [name, <Money key={name} points={points} />];
}
