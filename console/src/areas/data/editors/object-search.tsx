import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Select, Typography } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { classesQuery } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { useApp } from '../../../api/use-app.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { type DataObject, rowPageQuery } from '../data-queries.ts'
import { DEFAULT_ORDER } from '../data-search.ts'
import { escaped } from '../filters/filter-tree.ts'
import { titleIn } from '../titles/title-field.ts'
import { useTitle, useTitleField } from '../titles/use-title.ts'

interface ObjectSearchProps {
  readonly className: string
  /** The id of the selected object */
  readonly value: string | null
  /** The label of the field, for screen readers. */
  readonly label: string
  onChoose(object: DataObject): void
}

const SHOWN = 20

/** Finds an object of a class by its id or a prefix of its name. */
export function ObjectSearch({ className, value, label, onChoose }: ObjectSearchProps) {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const [typed, setTyped] = useState('')
  const searched = useDeferredValue(typed.trim())
  const classes = useSuspenseQuery(classesQuery(appId)).data
  const titleField = useTitleField(className)
  const title = useTitle(className, value)
  const fields = classes.find((one) => one.className === className)?.fields
  /** Texts are searched by prefix. */
  const nameField = titleField !== null && ownMember(fields, titleField)?.type === 'String' ? titleField : null
  const where = searched === '' ? undefined : conditionOf(searched, nameField)
  const { data, isFetching, error } = useQuery(rowPageQuery(appId, className, where, DEFAULT_ORDER, null, SHOWN))
  const found = data?.results ?? []
  return (
    <Select
      aria-label={label}
      style={{ width: '100%' }}
      value={value}
      placeholder={`${label} · ${nameField ? t('search.byName', { field: nameField }) : t('search.byId')}`}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={isFetching}
      notFoundContent={error ? <ProblemNotice error={error} /> : t('search.nothing')}
      onChange={(id) => {
        const chosen = found.find(({ objectId }) => objectId === id)
        if (chosen) onChoose(chosen)
      }}
      options={found.map((object) => ({
        value: object.objectId,
        label: object.objectId,
        name: titleIn(object, titleField),
      }))}
      labelRender={({ value: id }) => (
        <>
          {title} <Typography.Text type="secondary">{id}</Typography.Text>
        </>
      )}
      optionRender={({ data: { name, value: id } }) => (
        <>
          {name} <Typography.Text type="secondary">{id}</Typography.Text>
        </>
      )}
    />
  )
}

function conditionOf(searched: string, nameField: string | null) {
  const byId = { objectId: searched }
  if (nameField === null) return byId
  return { $or: [byId, { [nameField]: { $regex: `^${escaped(searched)}` } }] }
}
