import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Flex, Select, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { mayBeTitle, titleFieldOf } from '../data/titles/title-field.ts'
import { valueAt } from '../settings/draft.ts'
import { patchSettings, settingsQuery } from '../settings/settings-queries.ts'

/** The choice made by the console. */
const AUTOMATIC = ''

/** Chooses the field that labels objects of a class in pointers and relations. */
export function TitleFieldChoice({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const { appId, canChange } = useApp()
  const queries = useQueryClient()
  const settings = useQuery(settingsQuery(appId))
  const { className } = description
  const chosen = valueAt(settings.data, ['console', 'titleFields', className])
  const usual = titleFieldOf(description, undefined)
  const choosing = useMutation({
    mutationFn: (field: string) =>
      patchSettings(appId, { console: { titleFields: { [className]: field === AUTOMATIC ? null : field } } }),
    onSuccess: (saved) => queries.setQueryData(settingsQuery(appId).queryKey, saved),
  })
  const fields = Object.keys(description.fields).filter((name) => mayBeTitle(description, name))
  return (
    <Flex vertical gap={4} style={{ padding: '12px 16px' }}>
      <ProblemNotice error={settings.error ?? choosing.error} />
      <Flex wrap gap={8} align="center">
        <label htmlFor="title-field">{t('titleField.label')}</label>
        <Select
          id="title-field"
          style={{ minWidth: 220 }}
          disabled={!canChange || !settings.data}
          loading={choosing.isPending}
          value={typeof chosen === 'string' ? chosen : AUTOMATIC}
          onChange={(field) => choosing.mutate(field)}
          options={[
            {
              value: AUTOMATIC,
              label: usual === null ? t('titleField.none') : t('titleField.automatic', { name: usual }),
            },
            ...fields.map((name) => ({ value: name, label: name })),
          ]}
        />
      </Flex>
      <Typography.Text type="secondary">{t('titleField.about')}</Typography.Text>
    </Flex>
  )
}
