import { QueryCache, QueryClient } from '@tanstack/react-query'
import { Problem } from './request.ts'
import { shareEqual } from './share-equal.ts'

const signedOut = new EventTarget()

/** Calls the listener when a response reports that the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOut.addEventListener('signed-out', listener)
}

/** The cache of server responses. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof Problem && error.status === 401) signedOut.dispatchEvent(new Event('signed-out'))
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      structuralSharing: shareEqual,
      // Offline, requests fail and the page reports it, instead of waiting silently for a network.
      networkMode: 'always',
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
    mutations: { networkMode: 'always' },
  },
})
