import { useMutation } from '@tanstack/react-query'
import { Flex, Grid, Radio, Select, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { GranteeChoice } from '../../parts/grantees/grantee-choice.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Table } from '../../parts/table.tsx'
import { useUndo } from '../../parts/use-undo.tsx'
import { changeClass } from './class-queries.ts'
import {
  granteesOf,
  OPERATIONS,
  type Operation,
  type Permission,
  permissionFor,
  WHO,
  type Who,
  whoOf,
} from './permission.ts'
import { PermissionMeaning } from './permission-meaning.tsx'

interface Change {
  readonly operation: Operation
  readonly permission: Permission
}

/** The permissions of a class: a matrix with a description of the selected cell. */
export function PermissionsTab({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const { appId, canChange } = useApp()
  const undoable = useUndo()
  const isWide = Grid.useBreakpoint().md ?? true
  const { className } = description
  const permissions = description.permissions as { readonly [operation in Operation]: Permission }
  const change = ({ operation, permission }: Change) =>
    changeClass(appId, className, { permissions: { [operation]: permission } })
  const changing = useMutation({
    mutationFn: change,
    onMutate: ({ operation }) => ({ operation, permission: permissions[operation] }),
    onSuccess: (_, { operation }, before) =>
      undoable(t('permissions.changed', { operation: t(`operation.${operation}.name`) }), () => change(before)),
  })
  const choose = (operation: Operation, who: Who) => {
    const permission = who === 'chosen' ? permissionFor(granteesOf(permissions[operation])) : who
    changing.mutate({ operation, permission })
  }
  return (
    <Flex vertical gap={16}>
      <Typography.Paragraph type="secondary" style={{ margin: 0, maxWidth: 760 }}>
        {t('permissions.about')}
      </Typography.Paragraph>
      <ProblemNotice error={changing.error} />
      <Card styles={{ body: { padding: 0 } }}>
        <Table<{ readonly operation: Operation }>
          rowKey="operation"
          pagination={false}
          {...(isWide ? { scroll: { x: 760 } } : {})}
          dataSource={OPERATIONS.map((operation) => ({ operation }))}
          columns={[
            {
              title: t('permissions.operation'),
              key: 'operation',
              render: (_, { operation }) => (
                <Flex vertical gap={6}>
                  <Typography.Text strong>{t(`operation.${operation}.name`)}</Typography.Text>
                  {!isWide && (
                    <Select<Who>
                      aria-label={t(`operation.${operation}.name`)}
                      disabled={!canChange || changing.isPending}
                      value={whoOf(permissions[operation])}
                      options={WHO.map((who) => ({ value: who, label: t(`who.${who}`) }))}
                      onChange={(who) => choose(operation, who)}
                    />
                  )}
                  <PermissionMeaning className={className} operation={operation} permission={permissions[operation]} />
                  {whoOf(permissions[operation]) === 'chosen' && (
                    <GranteeChoice
                      label={t('permissions.chosenFor', { operation: t(`operation.${operation}.name`) })}
                      value={granteesOf(permissions[operation])}
                      disabled={!canChange}
                      onChange={(grantees) => changing.mutate({ operation, permission: permissionFor(grantees) })}
                    />
                  )}
                </Flex>
              ),
            },
            ...(isWide ? WHO : []).map((who) => ({
              title: t(`who.${who}`),
              key: who,
              width: 120,
              align: 'center' as const,
              render: (_: unknown, { operation }: { readonly operation: Operation }) => (
                <Radio
                  name={`permission-${operation}`}
                  aria-label={`${t(`operation.${operation}.name`)}: ${t(`who.${who}`)}`}
                  disabled={!canChange || changing.isPending}
                  checked={whoOf(permissions[operation]) === who}
                  onChange={() => choose(operation, who)}
                />
              ),
            })),
          ]}
        />
      </Card>
    </Flex>
  )
}
