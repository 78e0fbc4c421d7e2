import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { Quote } from '@switchyard/contract/playground/quote';
import type { Verdict } from '@switchyard/contract/usage/usage-records';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Money, Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useRoutingDecisionText } from '../../../ui/product/routing-decision-text.ts';
import { topBarHeight } from '../../../ui/theme/design-tokens.ts';
import { useGroupName } from '../../accounts/user-groups/queries.ts';

interface QuotePanelProps {
  answer: Quote | undefined;
  error: Error | null;
  checking: boolean;
  /** True if the form has changed since the quote. */
  isOutdated: boolean;
  onRetry: () => void;
}

/** Shows a placeholder, the progress, the error or the quote. */
export function QuotePanel({ answer, error, checking, isOutdated, onRetry }: QuotePanelProps) {
  const { t } = useTranslation('quote');
  const place = useRef<HTMLDivElement>(null);
  const isThere = answer !== undefined || error !== null;
  // On a phone the quote is below the visible part of the page.
  useEffect(() => {
    if (isThere && !checking) place.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isThere, checking]);
  return (
    <Box
      ref={place}
      aria-live="polite"
      aria-busy={checking}
      sx={{ scrollMarginTop: topBarHeight.phone + 16, scrollMarginBottom: 16 }}
    >
      {error === null ? (
        <SectionCard title={t('answer')}>
          {answer !== undefined && isOutdated && (
            <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1.5 }}>
              {t('outdated')}
            </Typography>
          )}
          {answer !== undefined && <QuoteAnswer answer={answer} />}
          {answer === undefined && checking && <Skeleton variant="rounded" height={240} />}
          {answer === undefined && !checking && <EmptyState>{t('empty')}</EmptyState>}
        </SectionCard>
      ) : (
        <ErrorPanel error={error} onRetry={onRetry} />
      )}
    </Box>
  );
}

/** Shows whether the request would be sent, its reservation and cost, and the limits that apply. */
function QuoteAnswer({ answer }: { answer: Quote }) {
  const { refusal, offer, limits, model } = answer;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Outcome refusal={refusal} />
      {/* Without a model the request could not be read, so nothing else is known. */}
      {model !== '' && <QuoteFacts answer={answer} />}
      {limits.length > 0 && <QuoteLimits limits={limits} />}
      {offer !== null && offer.verdicts.length > 0 && <QuoteChannels verdicts={offer.verdicts} />}
    </Box>
  );
}

function Outcome({ refusal }: Pick<Quote, 'refusal'>) {
  const { t } = useTranslation('quote');
  if (refusal === null)
    return (
      <Box>
        <StatusChip tone="success">{t('accepted')}</StatusChip>
      </Box>
    );
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5, rowGap: 0.5 }}>
        <StatusChip tone="error">{t('refused')}</StatusChip>
        <Mono>HTTP {refusal.status}</Mono>
        <Mono>{refusal.code}</Mono>
      </Box>
      <CodeBlock code={refusal.message} label={t('message')}>
        {/* Clients get this message in English, whatever the console's language. */}
        <Box component="span" lang="en" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {refusal.message}
        </Box>
      </CodeBlock>
    </Box>
  );
}

const known = ['user-requests', 'user-tokens', 'token-requests', 'token-tokens'] as const;

/** Shows what each limit would have left after this request, and when it is full again. */
function QuoteLimits({ limits }: Pick<Quote, 'limits'>) {
  const { t } = useTranslation('quote');
  const format = useFormat();
  // A limit that this console does not know keeps its name.
  const nameOf = (policy: string) => {
    const name = known.find((candidate) => candidate === policy);
    return name === undefined ? policy : t(`limit.${name}`);
  };
  return (
    <Box component="section">
      <Typography variant="subtitle2" component="h3" sx={{ mb: 1 }}>
        {t('limits')}
      </Typography>
      <DescriptionList
        facts={limits.map(({ policy, limit, remaining, reset_in }) => [
          nameOf(policy),
          [
            t('left', { remaining: format.number(remaining), limit: format.number(limit) }),
            ...(reset_in > 0 ? [t('whole', { time: format.duration(reset_in * 1000) })] : []),
          ].join(' · '),
        ])}
      />
    </Box>
  );
}

/** Shows the tokens and the amounts of the reservation. */
function QuoteFacts({ answer }: { answer: Quote }) {
  const { t } = useTranslation('quote');
  const format = useFormat();
  const offerFacts = useOfferFacts(answer.offer);
  const { model, input_tokens, output_tokens } = answer;
  return (
    <DescriptionList
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

const choosing: ReadonlySet<Verdict['reason']> = new Set([
  'chosen',
  'pinned',
  'warm',
  'fastest',
  'cheapest',
  'last-resort',
]);

/** Shows administrators which channel would be selected, and the routing decision for the others. */
function QuoteChannels({ verdicts }: { verdicts: readonly Verdict[] }) {
  const { t } = useTranslation('quote');
  const sentence = useRoutingDecisionText();
  return (
    <Box component="section">
      <Typography variant="subtitle2" component="h3" sx={{ mb: 1 }}>
        {t('channels')}
      </Typography>
      <Box component="ul" sx={list}>
        {verdicts.map((verdict) => (
          <Box component="li" key={verdict.channel_id} sx={row}>
            <Link to={paths.channels} search={{ open: String(verdict.channel_id) }}>
              <Name id={verdict.channel_id}>{verdict.channel_name}</Name>
            </Link>
            {choosing.has(verdict.reason) ? (
              <StatusChip tone="success">{sentence(verdict)}</StatusChip>
            ) : (
              <Box component="span" sx={{ color: 'text.secondary' }}>
                {sentence(verdict)}
              </Box>
            )}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

const list = {
  m: 0,
  p: 0,
  listStyle: 'none',
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 1,
  fontSize: '0.8125rem',
} as const;
const row = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  overflowWrap: 'anywhere',
} as const;
