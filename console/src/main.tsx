import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onSignedOut, queryClient } from './api/query-client.ts'
import { setUpTexts } from './i18n/setup.ts'
import { cleanCopy } from './parts/clipboard-text.ts'
import { OutdatedNotice } from './parts/outdated-notice.tsx'
import { router } from './router.ts'
import { Appearance } from './shell/appearance.tsx'

await setUpTexts()
onSignedOut(() => {
  const { pathname, href } = router.state.location
  if (pathname === '/login' || pathname === '/enter') return
  // Mounted pages would otherwise reload their data without a session.
  void router.navigate({ to: '/login', search: { next: href } }).then(() => queryClient.clear())
})

document.addEventListener('copy', cleanCopy)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Appearance>
        <OutdatedNotice />
        <RouterProvider router={router} />
      </Appearance>
    </QueryClientProvider>
  </StrictMode>,
)
