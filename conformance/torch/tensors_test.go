//go:build torch

package torch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestSafetensors lets Python's safetensors read what WriteFile writes, and opens what it
// writes, live.
func TestSafetensors(t *testing.T) {
	interpreter := os.Getenv("TORCH_PYTHON")
	if interpreter == "" {
		t.Skip("TORCH_PYTHON is not the path of a Python with PyTorch and safetensors")
	}
	const rows, columns = 37, 24
	folder := t.TempDir()
	from, err := embedding.Make(tensor.Float64, rows, columns, embedding.Normal(1, 0, 1))
	require.NoError(t, err)
	want := map[embedding.Storage]string{
		embedding.Float64: "torch.float64 (37, 24)", embedding.Float32: "torch.float32 (37, 24)", embedding.Float16: "torch.float16 (37, 24)",
		embedding.BFloat16: "torch.bfloat16 (37, 24)", embedding.Int8: "torch.uint8 (37, 32)", embedding.Int4: "torch.uint8 (37, 16)",
	}
	ids := make([]int32, rows)
	for i := range ids {
		ids[i] = int32(i)
	}
	all := tensor.New(tensor.WithBacking(ids))
	tables := map[embedding.Storage]*embedding.Table{}
	for s := range want {
		tables[s], err = from.Quantize(s)
		require.NoError(t, err)
		require.NoError(t, tables[s].WriteFile(filepath.Join(folder, s.String()+".safetensors")))
	}
	out, err := exec.Command(interpreter, "tensors.py", folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for s, line := range want {
		require.Contains(t, strings.Split(string(out), "\n"), s.String()+".safetensors "+line)
		path := filepath.Join(folder, "back_"+s.String()+".safetensors")
		_, err := embedding.Open(path)
		require.ErrorContains(t, err, "rank 2 are weight")
		table, err := embedding.Open(path, embedding.WithTensor("weight"))
		require.NoError(t, err)
		require.Equal(t, s, table.Storage())
		got, err := table.Rows(all)
		require.NoError(t, err)
		before, err := tables[s].Rows(all)
		require.NoError(t, err)
		if s != embedding.Int8 && s != embedding.Int4 {
			before, err = before.Add(before)
			require.NoError(t, err)
		}
		require.Equal(t, before.Data(), got.Data(), s)
		require.NoError(t, table.Close())
	}
}
