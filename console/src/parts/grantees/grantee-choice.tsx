import { TeamOutlined, UserOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Flex, Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ownMember } from '../../api/own-member.ts'
import { useApp } from '../../api/use-app.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { type Grantee, granteesQuery, userNamesQuery } from './grantees.ts'

interface GranteeChoiceProps {
  readonly value: readonly Grantee[]
  readonly label: string
  readonly disabled?: boolean
  onChange(grantees: Grantee[]): void
}

/** Selects users and roles found by name prefix, and users by id. */
export function GranteeChoice({ value, label, disabled = false, onChange }: GranteeChoiceProps) {
  const { t } = useTranslation('parts')
  const { appId } = useApp()
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const search = useDeferredValue(text.trim())
  const found = useQuery({ ...granteesQuery(appId, search), enabled: isOpen })
  const names = useGranteeNames(value)
  const options = (found.data ?? []).map(({ grantee, name }) => ({
    value: grantee,
    label: <Named grantee={grantee} name={name} />,
  }))
  const known = new Set<string>(options.map((option) => option.value))
  const chosen = value
    .filter((grantee) => !known.has(grantee))
    .map((grantee) => ({ value: grantee, label: <Named grantee={grantee} name={names(grantee)} /> }))
  return (
    <Select
      mode="multiple"
      aria-label={label}
      style={{ width: '100%', minWidth: 200 }}
      disabled={disabled}
      value={[...value]}
      options={[...options, ...chosen]}
      showSearch={{ filterOption: false, onSearch: setText, searchValue: text }}
      placeholder={t('grantees.placeholder')}
      notFoundContent={
        found.isFetching ? (
          t('grantees.searching')
        ) : found.error ? (
          <ProblemNotice error={found.error} />
        ) : (
          t('grantees.none')
        )
      }
      onOpenChange={setIsOpen}
      onChange={(grantees: Grantee[]) => {
        setText('')
        onChange(grantees)
      }}
    />
  )
}

function Named({ grantee, name }: { readonly grantee: Grantee; readonly name: string }) {
  return (
    <Flex gap={6} align="center" component="span">
      {grantee.startsWith('role:') ? <TeamOutlined aria-hidden /> : <UserOutlined aria-hidden />}
      <span>{name}</span>
    </Flex>
  )
}

/** Returns a function that names users and roles; unknown users by id. */
export function useGranteeNames(grantees: readonly Grantee[]): (grantee: Grantee) => string {
  const { appId } = useApp()
  const ids = grantees.filter((one) => one.startsWith('user:')).map((one) => one.slice('user:'.length))
  const { data } = useQuery(userNamesQuery(appId, ids))
  return (grantee) => {
    const name = grantee.slice('user:'.length)
    return grantee.startsWith('role:') ? name : (ownMember(data, name) ?? name)
  }
}
