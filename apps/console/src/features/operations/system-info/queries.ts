import { createClient, readEvents, routeUrl } from '@switchyard/contract/client';
import { type JobName, type LogEvent, systemInfo } from '@switchyard/contract/operations/system-info';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send, sendForEventStream } from '../../../api.ts';

const api = createClient(systemInfo, send);

const REFRESH_MS = 5_000;
const jobsKey = ['system-info', 'jobs'];

export const systemQuery = queryOptions({
  queryKey: ['system-info', 'state'],
  queryFn: ({ signal }) => api.get({}, signal),
  refetchInterval: REFRESH_MS,
});

export const jobsQuery = queryOptions({
  queryKey: jobsKey,
  queryFn: ({ signal }) => api.jobs({}, signal),
  refetchInterval: REFRESH_MS,
});

export function useRunJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: JobName) => api.runJob({ params: { name } }),
    onSettled: () => client.invalidateQueries({ queryKey: jobsKey }),
  });
}

/**
 * Streams the log lines after a line number; the server ends the stream after a minute.
 * @throws ApiError, or the error that ended the connection
 */
export function streamLog(after: number, signal: AbortSignal): AsyncGenerator<LogEvent> {
  const { path } = systemInfo.followLog;
  return readEvents(systemInfo.followLog, sendForEventStream(path, JSON.stringify({ after }), signal));
}

export const logFileUrl = routeUrl(systemInfo.logFile, {});
