import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import type { PaymentOption } from '@switchyard/contract/billing/orders';
import {
  MICROS,
  type TopUpTerms,
  toMajorUnits,
  topUpCost,
} from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { ApiError } from '@switchyard/contract/http-exchange';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { newIdempotencyKey } from '../../../../idempotency-key.ts';
import { openInNewTab } from '../../../../ui/browser/open-url.ts';
import { Name } from '../../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../../ui/display/status-and-tag-chips.tsx';
import { FormError } from '../../../../ui/feedback/form-error.tsx';
import { useErrorText } from '../../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { Markdown } from '../../../../ui/markdown/markdown.tsx';
import { PaymentProviderIcon } from '../../../../ui/product/payment-provider-label.tsx';
import { useSite } from '../../../site/site/queries.ts';
import { useCreateOrder } from '../../orders/queries.ts';
import { AmountChoice } from '../balance/top-up-amount-choice.tsx';
import {
  type Discounts,
  discountFor,
  offeredAmounts,
  readAmount,
  useAmountSentence,
} from '../balance/top-up-amounts-and-discounts.ts';
import { isPhone, payPageUrl } from './own-order-hooks.ts';

interface BuyFormProps {
  offers: readonly PaymentOption[];
  discounts: Discounts;
  /** Whole USD. */
  minimum: number;
  /** Markdown; empty for no terms. */
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
  const costTerms = 'amount' in read && offer !== undefined ? discountFor(read.amount, offer, discounts) : undefined;
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
      {refusal !== undefined && <FormError text={refusal} />}
      <Button type="submit" variant="contained" size="large" loading={pending} disabled={'problem' in read}>
        {'amount' in read && costTerms !== undefined
          ? t('pay', {
              cost: format.money(
                toMajorUnits(topUpCost(read.amount, costTerms).total, costTerms.currency),
                costTerms.currency,
              ),
            })
          : t('payNothing')}
      </Button>
    </Box>
  );
}

interface Purchase {
  uuid: string;
  /** Whole USD. */
  amount: number;
}

/** Errors after which the order of this attempt has ended: the payment provider refused it, or a repetition came too late. */
const endOfOrder = new Set<ApiError['code']>(['upstream-failed', 'conflict']);

/** Creates an order and opens its payment page, or explains why the order was refused. */
function useOrdering(onOrdered: (tradeNo: string) => void) {
  const create = useCreateOrder();
  const refusalSentence = useOrderRefusal();
  const [refusal, setRefusal] = useState<string>();
  // A new id after each order, also a failed one, so that an equal order that follows is not taken for a repetition.
  const [attempt, setAttempt] = useState(newIdempotencyKey);

  const order = async ({ uuid, amount }: Purchase) => {
    setRefusal(undefined);
    try {
      const changeId = `${attempt}:${uuid}:${amount}`;
      const made = await create.mutateAsync({ uuid, amount, phone: isPhone(), changeId });
      setAttempt(newIdempotencyKey());
      onOrdered(made.trade_no);
      // If the browser blocks the new tab, the dialog shows the same link.
      if (made.type === 'page') openInNewTab(payPageUrl(made.trade_no));
    } catch (error) {
      if (error instanceof ApiError && endOfOrder.has(error.code)) setAttempt(newIdempotencyKey());
      setRefusal(refusalSentence(error));
    }
  };
  return { order, pending: create.isPending, refusal, forgetRefusal: () => setRefusal(undefined) };
}

function useOrderRefusal(): (error: unknown) => string {
  const { t } = useTranslation('top-up');
  const sentence = useErrorText();
  const amountSentence = useAmountSentence(useSite()?.PaymentMinAmount ?? 1);
  return (error) => {
    if (!(error instanceof ApiError)) return sentence(error);
    const field = error.fields[0];
    if (field?.path === 'amount') {
      if (field.rule === 'below-minimum') return amountSentence('belowMinimum');
      return amountSentence(field.rule === 'too_big' ? 'tooMuch' : 'notWhole');
    }
    return error.code === 'not-found' || field?.path === 'uuid' ? t('gatewayGone') : sentence(error);
  };
}

interface CostSummaryProps {
  /** Whole USD. */
  amount: number;
  terms: TopUpTerms;
}

/** Shows the cost of an amount line by line, equal to the server's price to the minor unit. */
function CostSummary({ amount, terms }: CostSummaryProps) {
  const { t } = useTranslation(['top-up', 'common']);
  const format = useFormat();
  const cost = topUpCost(amount, terms);
  const { currency, discount, rate } = terms;
  return (
    <Box
      component="dl"
      aria-live="polite"
      sx={{ m: 0, display: 'grid', gap: 0.75, fontSize: '0.875rem', fontVariantNumeric: 'tabular-nums' }}
    >
      <Line name={t('youGet')}>{format.exactUsd(amount)}</Line>
      {cost.saved > 0 && (
        <Line name={t('discount', { off: t('common:discounted', { value: format.discount(discount / MICROS) }) })}>
          −{format.exactUsd(cost.saved / MICROS)}
        </Line>
      )}
      {cost.fee > 0 && <Line name={t('fee')}>{format.exactUsd(cost.fee / MICROS)}</Line>}
      {rate !== MICROS && (
        <Line name={t('rate')}>
          {t('rateOf', { dollar: format.exactUsd(1), value: `${format.number(rate / MICROS, 6)} ${currency}` })}
        </Line>
      )}
      <Line name={t('toPay')} strong>
        {format.money(toMajorUnits(cost.total, currency), currency)}
      </Line>
    </Box>
  );
}

function Line({ name, strong = false, children }: { name: string; strong?: boolean; children: ReactNode }) {
  return (
    <Box
      sx={{
        display: 'flex',
        justifyContent: 'space-between',
        alignItems: 'baseline',
        gap: 2,
        ...(strong ? { borderTop: 1, borderColor: 'divider', pt: 1, mt: 0.25 } : {}),
      }}
    >
      <Box component="dt" sx={{ color: strong ? 'text.primary' : 'text.secondary' }}>
        {name}
      </Box>
      <Box component="dd" sx={{ m: 0, fontWeight: strong ? 600 : 400, fontSize: strong ? '1.25rem' : 'inherit' }}>
        {children}
      </Box>
    </Box>
  );
}

interface GatewayChoiceProps {
  offers: readonly PaymentOption[];
  chosen: string | undefined;
  onChoose: (uuid: string) => void;
}

/** Shows the payment options as radio cards. */
function GatewayChoice({ offers, chosen, onChoose }: GatewayChoiceProps) {
  const { t } = useTranslation('top-up');
  const labelId = useId();
  return (
    <Box>
      <Box id={labelId} sx={{ fontSize: '0.8125rem', fontWeight: 500, mb: 0.5 }}>
        {t('payWith')}
      </Box>
      <RadioGroup
        aria-labelledby={labelId}
        value={chosen ?? ''}
        onChange={(_, value) => onChoose(value)}
        sx={{ display: 'grid', gap: 1, gridTemplateColumns: { sm: 'repeat(2, minmax(0, 1fr))' } }}
      >
        {offers.map((offer) => (
          <GatewayCard key={offer.uuid} offer={offer} chosen={offer.uuid === chosen} />
        ))}
      </RadioGroup>
    </Box>
  );
}

function GatewayCard({ offer, chosen }: { offer: PaymentOption; chosen: boolean }) {
  const { t } = useTranslation('top-up');
  const fee = useFeeText(offer);
  return (
    <Box
      component="label"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.25,
        minHeight: 56,
        pr: 1.5,
        borderRadius: 1,
        border: 1,
        cursor: 'pointer',
        borderColor: chosen ? 'primary.main' : 'divider',
        bgcolor: chosen ? 'primary.soft' : 'background.paper',
      }}
    >
      <Radio value={offer.uuid} size="small" sx={{ mr: -0.75 }} />
      <PaymentProviderIcon type={offer.type} icon={offer.icon} size={24} />
      <Box sx={{ minWidth: 0, flexGrow: 1, overflowWrap: 'anywhere' }}>
        <Box sx={{ fontWeight: 500 }}>
          <Name id={offer.uuid}>{offer.name}</Name>
        </Box>
        <Box sx={{ fontSize: '0.75rem', color: 'text.secondary' }}>{fee}</Box>
      </Box>
      {offer.sandbox && <StatusChip tone="warning">{t('sandbox')}</StatusChip>}
    </Box>
  );
}

/** Returns the fee as text, such as "2.9% + $0.30", or that there is none. */
function useFeeText({ fixed_fee, percent_fee }: PaymentOption): string {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const percent = percent_fee > 0 ? format.percent(percent_fee / MICROS, 2) : undefined;
  const fixed = fixed_fee > 0 ? format.usd(fixed_fee / MICROS) : undefined;
  const parts = [percent, fixed].filter((part) => part !== undefined);
  return parts.length === 0 ? t('noFee') : t('feeOf', { fee: parts.join(' + ') });
}
