import { Flex, Typography } from 'antd'
import { Card } from '../../../parts/card.tsx'
import { NumberInput } from '../../../parts/entry/number-input.tsx'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { Table } from '../../../parts/table.tsx'
import { valueAt } from '../draft.ts'
import { useExplanations } from '../explanations/use-explanations.ts'
import { childrenOf, type Node } from '../schema.ts'
import { useSettingsDraft } from '../settings-draft.tsx'

const PRINCIPALS = ['address', 'user', 'app'] as const
const PERIODS = ['second', 'hour'] as const

/** Returns whether settings are limits by principal, per second and per hour. */
export function isRates(node: Node): boolean {
  const names = childrenOf(node).map(({ path }) => path.at(-1))
  return names.length === PRINCIPALS.length && PRINCIPALS.every((principal) => names.includes(principal))
}

/** A table of limits by action, principal and period. */
export function RatesTable({ nodes }: { readonly nodes: readonly Node[] }) {
  const { nameOf } = useExplanations()
  const below = (pattern: string) => nameOf(`${nodes[0]!.pattern}.${pattern}`)
  return (
    <Card size="small" styles={{ body: { padding: 0 } }}>
      <Table
        size="small"
        pagination={false}
        rowKey="pattern"
        scroll={{ x: 940 }}
        dataSource={nodes}
        columns={[
          { key: 'kind', fixed: 'start', width: 190, render: (_, node: Node) => <Counted node={node} /> },
          ...PRINCIPALS.map((principal) => ({
            key: principal,
            title: below(principal),
            children: PERIODS.map((period) => ({
              key: `${principal}.${period}`,
              title: below(`${principal}.${period}`),
              render: (_: unknown, node: Node) => <Rate node={node} principal={principal} period={period} />,
            })),
          })),
        ]}
      />
    </Card>
  )
}

/** The limited action. */
function Counted({ node }: { readonly node: Node }) {
  const { explain } = useExplanations()
  const { title, about } = explain(node)
  return (
    <Flex vertical>
      {title}
      {about !== '' && (
        <Typography.Text type="secondary" style={{ fontSize: 12 }}>
          {about}
        </Typography.Text>
      )}
    </Flex>
  )
}

interface RateProps {
  readonly node: Node
  readonly principal: (typeof PRINCIPALS)[number]
  readonly period: (typeof PERIODS)[number]
}

function Rate({ node, principal, period }: RateProps) {
  const { nameOf } = useExplanations()
  const { drafted, patch, canChange, refusals, change, keepUnparsed } = useSettingsDraft()
  const path = [...node.path, principal, period]
  const usual = node.schema.properties?.[principal]?.properties?.[period]?.default
  const value = valueAt(drafted, path) ?? usual
  const named = [node.pattern, `${node.pattern}.${principal}`, `${node.pattern}.${principal}.${period}`]
  return (
    <NumberInput
      aria-label={named.map(nameOf).join(', ')}
      min={0}
      size="small"
      readOnly={!canChange}
      status={refusals.has(path.join('.')) ? 'error' : valueAt(patch, path) === undefined ? '' : 'warning'}
      value={value}
      style={{ width: 96 }}
      onChange={(number) => (number instanceof Unparsed ? keepUnparsed(path) : change(path, number ?? null))}
    />
  )
}
