import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { createClient } from '@switchyard/contract/client';
import { ApiError } from '@switchyard/contract/http-exchange';
import { serviceTests, type TestedService } from '@switchyard/contract/operations/service-connection-tests';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { send } from '../../../api.ts';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';

/** Tests whether external services accept the saved settings. */
export function ServiceTests({ services }: { services: readonly TestedService[] }) {
  const { t } = useTranslation('service-tests');
  return (
    <Box sx={{ display: 'grid', gap: 1.5, pt: 2, borderTop: 1, borderColor: 'divider' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('help')}
      </Typography>
      {services.map((service) => (
        <ServiceTest key={service} service={service} />
      ))}
    </Box>
  );
}

function ServiceTest({ service }: { service: TestedService }) {
  const { t } = useTranslation('service-tests');
  const test = useTestService(service);
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, flexWrap: 'wrap', minHeight: 40 }}>
      <Button variant="outlined" color="inherit" loading={test.isPending} onClick={() => test.mutate()}>
        {t('test', { service: t(`service.${service}`) })}
      </Button>
      <Box aria-live="polite" sx={{ flex: '1 1 240px', minWidth: 0 }}>
        {test.isSuccess && (
          <Alert severity="success">
            {test.data === '' ? t(`works.${service}`) : t('worksAs', { name: isolateBidi(test.data) })}
          </Alert>
        )}
        {test.isError && <Failure error={test.error} />}
      </Box>
    </Box>
  );
}

/** Shows the server's own message where it names the reason that the operator needs. */
function Failure({ error }: { error: Error }) {
  const { t } = useTranslation('service-tests');
  const sentence = useErrorText();
  const hasReason = error instanceof ApiError && error.code === 'upstream-failed';
  const isMissing = error instanceof ApiError && error.code === 'not-set-up';
  return (
    <Alert severity={isMissing ? 'info' : 'error'} sx={{ overflowWrap: 'anywhere' }}>
      {hasReason ? t('failed', { reason: error.message }) : sentence(error)}
    </Alert>
  );
}

const api = createClient(serviceTests, send);

/** @returns the name that the service reports, or '' */
function useTestService(service: TestedService) {
  return useMutation({ mutationFn: async () => (await api.run({ params: { service } })).name });
}
