import { CodeOutlined, DownloadOutlined, SwapOutlined, UploadOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { CodeDialog } from './code/code-dialog.tsx'
import { ExportDialog } from './export/export-dialog.tsx'

const ImportDialog = lazy(async () => ({ default: (await import('./import/import-dialog.tsx')).ImportDialog }))

interface TransferMenuProps {
  readonly description: ClassDescription
  readonly where: { readonly [key: string]: unknown } | undefined
  readonly order: string
}

/** The page size of a query shown as code. */
const PAGE = 100

/** The import and export of a class, and its query as code. */
export function TransferMenu({ description, where, order }: TransferMenuProps) {
  const { t } = useTranslation('transfer')
  const { appId, canChange } = useApp()
  const [open, setOpen] = useState<string | null>(null)
  const { className } = description
  const close = () => setOpen(null)
  const items = [
    { key: 'export', icon: <DownloadOutlined />, label: t('export.title') },
    // Users and files consist of more than their rows.
    ...(canChange && className !== '_File'
      ? [{ key: 'import', icon: <UploadOutlined />, label: t('import.menu') }]
      : []),
    { key: 'code', icon: <CodeOutlined />, label: t('code.title') },
  ]
  return (
    <>
      <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => setOpen(key) }}>
        <Button icon={<SwapOutlined />}>{t('menu')}</Button>
      </Dropdown>
      {open === 'export' && <ExportDialog taken={{ appId, description, where, order }} chosen={null} onClose={close} />}
      {open === 'import' && (
        <Suspense>
          <ImportDialog description={description} onClose={close} />
        </Suspense>
      )}
      {open === 'code' && <CodeDialog query={{ className, where, order, limit: PAGE }} onClose={close} />}
    </>
  )
}
