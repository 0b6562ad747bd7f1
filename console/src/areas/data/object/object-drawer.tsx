import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Tabs, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { classesQuery } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { clipboardLine } from '../../../parts/clipboard-text.ts'
import { Drawer } from '../../../parts/drawer.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import { Loading } from '../../../parts/loading.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { objectQuery } from '../data-queries.ts'
import { useShownData } from '../data-search.ts'
import { ObjectFields } from './object-fields.tsx'

/** The object open in the drawer beside the grid, of any class: all its fields, and as JSON. */
export function ObjectDrawer() {
  const { t } = useTranslation('data')
  const { open, show } = useShownData()
  return (
    <Drawer
      open={open !== null}
      size={560}
      styles={{ wrapper: { maxWidth: '100vw' } }}
      title={
        open && (
          <>
            <span translate="no">{open.className}</span>{' '}
            <Typography.Text
              code
              copyable={{ text: clipboardLine(open.objectId), tooltips: [t('object.copy'), t('object.copied')] }}
            >
              {open.objectId}
            </Typography.Text>
          </>
        )
      }
      onClose={() => show({ open: undefined })}
      destroyOnHidden
    >
      {open && <OpenObject key={`${open.className}/${open.objectId}`} {...open} />}
    </Drawer>
  )
}

function OpenObject({ className, objectId }: { readonly className: string; readonly objectId: string }) {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const description = useSuspenseQuery(classesQuery(appId)).data.find((one) => one.className === className)
  const { data, error, isPending } = useQuery(objectQuery(appId, className, objectId))
  if (error) return <ProblemNotice error={error} />
  if (isPending) return <Loading />
  if (!data || !description) return <EmptyState title={t('object.gone')}>{t('object.goneAbout')}</EmptyState>
  return (
    <Tabs
      items={[
        {
          key: 'fields',
          label: t('object.fields'),
          children: <ObjectFields description={description} object={data} />,
        },
        {
          key: 'json',
          label: 'JSON',
          children: <JsonEditor readOnly label="JSON" height="60vh" value={JSON.stringify(data, null, 2)} />,
        },
      ]}
    />
  )
}
