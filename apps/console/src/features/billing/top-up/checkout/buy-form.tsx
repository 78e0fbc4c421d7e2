import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Offer } from '@switchyard/contract/billing/orders';
import { toMajor, topUpCost } from '@switchyard/contract/billing/top-up-cost';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Refusal } from '../../../../ui/feedback/refusal.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { Markdown } from '../../../../ui/markdown/markdown.tsx';
import { AmountChoice } from '../balance/amount-choice.tsx';
import { type Discounts, offeredAmounts, readAmount, termsFor } from '../balance/amounts.ts';
import { useAmountSentence } from '../balance/use-amount-sentence.ts';
import { CostSummary } from './cost-summary.tsx';
import { GatewayChoice } from './gateway-choice.tsx';
import { useOrdering } from './use-ordering.ts';

interface BuyFormProps {
  offers: readonly Offer[];
  discounts: Discounts;
  /** Whole USD. */
  minimum: number;
  /** Markdown; empty: none. */
  terms: string;
  onOrdered: (tradeNo: string) => void;
}

export function BuyForm({ offers, discounts, minimum, terms, onOrdered }: BuyFormProps) {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const sentence = useAmountSentence(minimum);
  const amounts = offeredAmounts(discounts, minimum);
  const [text, setText] = useState(String(amounts[0] ?? minimum));
  const [uuid, setUuid] = useState(offers[0]?.uuid);
  const { order, pending, refusal, forgetRefusal } = useOrdering(onOrdered);
  const offer = offers.find((one) => one.uuid === uuid) ?? offers[0];
  const read = readAmount(text, minimum);
  const costTerms =
    'amount' in read && offer !== undefined ? termsFor(read.amount, offer, discounts) : undefined;
  const submit = () => {
    if ('amount' in read && offer !== undefined) void order({ uuid: offer.uuid, amount: read.amount });
  };
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}
    >
      <AmountChoice
        amounts={amounts}
        discounts={discounts}
        text={text}
        problem={'problem' in read ? sentence(read.problem) : undefined}
        onChange={(next) => {
          forgetRefusal();
          setText(next);
        }}
      />
      <GatewayChoice
        offers={offers}
        chosen={offer?.uuid}
        onChoose={(next) => {
          forgetRefusal();
          setUuid(next);
        }}
      />
      {'amount' in read && costTerms !== undefined && <CostSummary amount={read.amount} terms={costTerms} />}
      {terms !== '' && (
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          <Markdown text={terms} />
        </Box>
      )}
      {refusal !== undefined && <Refusal text={refusal} />}
      <Button type="submit" variant="contained" size="large" loading={pending} disabled={'problem' in read}>
        {'amount' in read && costTerms !== undefined
          ? t('pay', {
              cost: format.money(
                toMajor(topUpCost(read.amount, costTerms).total, costTerms.currency),
                costTerms.currency,
              ),
            })
          : t('payNothing')}
      </Button>
    </Box>
  );
}
