package onnx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
)

// filled adds a tensor of floats: x, or x, x+1, … if step is 1.
func (m wireMessage) filled(name string, x, step float32, dims ...uint64) wireMessage {
	t, size := wireMessage{}.varint(2, 1).bytes(8, []byte(name)), 1
	for _, d := range dims {
		t, size = t.varint(1, d), size*int(d)
	}
	var raw []byte
	for i := range size {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x+step*float32(i)))
	}
	return m.bytes(5, t.bytes(9, raw))
}

// parameter adds a marked initializer of different elements.
func (m wireMessage) parameter(name string, dims ...uint64) wireMessage {
	return m.filled(name, 0.5, 1, dims...).note(name, "PARAMETER")
}

// folded adds a float initializer that was computed from others.
func (m wireMessage) folded(name string, from []string, dims ...uint64) wireMessage {
	return m.filled(name, 0.5, 1, dims...).bytes(13, wireMessage{}.bytes(1, []byte(name)).
		bytes(4, entry("pkg.onnxscript.optimizer.folded_from", "['"+strings.Join(from, "', '")+"']")))
}

// program adds the signature of a program whose values x and y are its input and output.
func (m wireMessage) program(parameters string, buffers ...string) wireMessage {
	return m.programOf("x", "y", parameters, buffers...)
}

// programOf is program for an input and output of other names.
func (m wireMessage) programOf(input, output, parameters string, buffers ...string) wireMessage {
	text := "\n# inputs\n"
	for _, name := range strings.Fields(parameters) {
		text += fmt.Sprintf("p_%s: PARAMETER target='%s'\n", strings.ReplaceAll(name, ".", "_"), name)
	}
	for _, name := range buffers {
		text += fmt.Sprintf("b_%s: BUFFER target='%s' persistent=True\n", strings.ReplaceAll(name, ".", "_"), name)
	}
	return m.bytes(16, entry("pkg.torch.export.ExportedProgram.graph_signature", text+input+": USER_INPUT\n\n# outputs\n"+output+": USER_OUTPUT\n"))
}

// written adds a node with its line of the program.
func (m wireMessage) written(line, op string, inputs []string, outputs ...string) wireMessage {
	with := wireMessage{}.node(op, inputs, outputs...)
	_, node := with[0], with[2:]
	return m.bytes(1, append(node, wireMessage{}.bytes(9, entry("pkg.torch.onnx.fx_node", line))...))
}

// x adds an input of shape (3, 2).
func (m wireMessage) x() wireMessage {
	dim := func(n uint64) wireMessage { return wireMessage{}.varint(1, n) }
	shape := wireMessage{}.bytes(1, dim(3)).bytes(1, dim(2))
	return m.bytes(11, wireMessage{}.bytes(1, []byte("x")).bytes(2, wireMessage{}.bytes(1, wireMessage{}.varint(1, 1).bytes(2, shape))))
}

// cast adds a conversion to a data type.
func (m wireMessage) cast(from, to string, dataType uint64) wireMessage {
	attribute := wireMessage{}.bytes(1, []byte("to")).varint(3, dataType).varint(20, 2)
	node := wireMessage{}.node("Cast", on(from), to)
	return m.bytes(1, append(node[2:], wireMessage{}.bytes(5, attribute)...))
}

// on reads as the inputs of a node.
func on(names ...string) []string { return names }

// A parameter that the exporter has rewritten is trained in its new form where that is as
// good, and all others are listed.
func TestUntrained(t *testing.T) {
	base := wireMessage{}.x()
	for _, c := range []struct {
		name      string
		m         wireMessage
		trainable []string
		untrained []string
	}{
		{"as they were", base.parameter("w", 2, 2).parameter("b", 2).program("w b", "mean").filled("mean", 1, 1, 2).note("mean", "BUFFER").
			node("Sub", on("x", "mean"), "less").node("MatMul", on("less", "w"), "m").node("Add", on("m", "b"), "y"), []string{"w", "b"}, nil},
		{"transposed", base.folded("val_0", on("fc.weight"), 2, 2).program("fc.weight").node("MatMul", on("x", "val_0"), "y"), []string{"val_0"}, nil},
		{"transposed, and used twice", base.folded("val_0", on("fc.weight"), 2, 2).program("fc.weight").
			node("MatMul", on("x", "val_0"), "m").node("MatMul", on("m", "val_0"), "y"), []string{"val_0"}, nil},
		{"other axes", base.folded("val_1", on("p.weight", "val_0"), 1, 2).program("p.weight").node("PRelu", on("x", "val_1"), "y"), []string{"val_1"}, nil},
		{"by the shape of a value of the run", base.folded("val_1", on("p.weight", "val_0", "x"), 1, 2).program("p.weight").node("PRelu", on("x", "val_1"), "y"), []string{"val_1"}, nil},
		{"by the shape of an input that the export renamed", base.folded("val_1", on("p.weight", "val_0", "args_0"), 1, 2).programOf("args_0", "y", "p.weight").node("PRelu", on("x", "val_1"), "y"), []string{"val_1"}, nil},
		{"by the shape of an output that the export renamed", base.folded("val_1", on("p.weight", "val_0", "prelu"), 1, 2).programOf("x", "prelu", "p.weight").node("PRelu", on("x", "val_1"), "y"), []string{"val_1"}, nil},
		{"rows", base.folded("val_1", on("p", "val_0"), 2, 2).program("p").initializer("i", 7, 8, 3, 1).node("GatherND", on("val_1", "i"), "r").node("Add", on("x", "r"), "y"), []string{"val_1"}, nil},
		{"in a BatchNorm once for each element of the batch", base.folded("val_1", on("n.weight", "val_0"), 2).filled("mean", 1, 0, 2).filled("zero", 0, 0, 2).program("n.weight").
			node("BatchNormalization", on("x", "val_1", "zero", "mean", "mean"), "y"), nil, []string{`n.weight: folded away: "val_1" computed from it`}},
		{"a factor times a constant", base.folded("val_1", on("k", "val_0"), 1, 2, 2).program("k").node("MatMul", on("x", "val_1"), "y"), nil, []string{`k: folded away: "val_1" computed from it`}},
		{"a term times a constant", base.folded("val_1", on("b", "val_0"), 2).program("b").node("Add", on("x", "val_1"), "y"), nil, []string{`b: folded away: "val_1" computed from it`}},
		{"a term's exponential", base.folded("val_1", on("b"), 2).program("b").node("Add", on("x", "val_1"), "y"), nil, []string{`b: folded away: "val_1" computed from it`}},
		{"a scalar", base.folded("val_1", on("b")).program("b").node("PRelu", on("x", "val_1"), "y"), nil, []string{`b: folded away: "val_1" computed from it`}},
		{"of the model's own", base.folded("sigmoid", on("w"), 2, 2).program("w").node("MatMul", on("x", "sigmoid"), "y"), nil, []string{`w: folded away: "sigmoid" computed from it`}},
		{"by way of the model's own", base.folded("val_1", on("w", "sigmoid"), 2, 2).program("w").node("MatMul", on("x", "val_1"), "y"), nil, []string{`w: folded away: "val_1" computed from it`}},
		{"with a buffer", base.folded("val_1", on("w", "mask"), 2, 2).program("w", "mask").node("MatMul", on("x", "val_1"), "y"), nil, []string{`w: folded away: "val_1" computed from it`}},
		{"from two", base.folded("val_1", on("v", "g"), 2, 2).program("v g").node("MatMul", on("x", "val_1"), "y"), nil,
			[]string{`v: folded away: "val_1" computed from it`, `g: folded away: "val_1" computed from it`}},
		{"in one place of two", base.folded("val_1", on("w"), 2, 2).program("w").node("MatMul", on("x", "val_1"), "m").node("ReduceMean", on("val_1"), "r").node("Add", on("m", "r"), "y"), nil,
			[]string{`w: folded away: "val_1" computed from it`}},
		{"repeated", base.folded("expand", on("token", "val_0"), 3, 2).program("token").node("Add", on("x", "expand"), "y"), nil, []string{`token: repeated in "expand"`}},
		{"copied", base.parameter("e", 2, 2).folded("val_1", on("e"), 2, 2).program("e").node("MatMul", on("x", "e"), "m").node("MatMul", on("m", "val_1"), "y"), []string{"e", "val_1"},
			[]string{`e: copied: "e" and "val_1" train apart`}},
		{"also folded", base.parameter("p", 2).folded("abs_1", on("p"), 2).program("p").node("Add", on("x", "p"), "a").node("Mul", on("a", "abs_1"), "y"), []string{"p"},
			[]string{`p: copied: "abs_1" computed from it, too, and not trained`}},
		{"also for a shape", base.parameter("p", 2).program("p").initializer("val_1", 7, 8, 1).
			bytes(13, wireMessage{}.bytes(1, []byte("val_1")).bytes(4, entry("pkg.onnxscript.optimizer.folded_from", "['p']"))).
			node("Gather", on("p", "val_1"), "row").node("Add", on("x", "row"), "y"), []string{"p"}, nil},
		{"changed", base.filled("w", 1, 1, 2, 2).program("w b").node("MatMul", on("x", "w"), "y"), []string{"w"},
			[]string{"w: changed: its values are not those it had in PyTorch", "b: missing: equal to something else, folded away, or not used"}},
		{"of 16 bits", base.initializer("w", 10, 2, 2).note("w", "PARAMETER").program("w").initializer("i", 7, 8, 1).node("Gather", on("w", "i"), "y"), nil, []string{"w: float16 is not trained"}},
		{"by way of 16 bits", base.parameter("w", 2).parameter("v", 2).program("w v").cast("w", "h", 10).cast("h", "f", 1).
			node("Mul", on("x", "f"), "m").node("Add", on("m", "v"), "y"), []string{"v"}, []string{"w: float16 is on the way to it, and not trained"}},
		{"by way of 16 bits and without", base.parameter("w", 2).program("w").cast("w", "h", 16).cast("h", "f", 1).
			node("Mul", on("x", "f"), "m").node("Add", on("m", "w"), "y"), nil, []string{"w: bfloat16 is on the way to it, and not trained"}},
		{"rows of 16 bits", base.parameter("w", 3, 2).program("w").cast("w", "h", 10).initializer("i", 7, 8, 3).node("Gather", on("h", "i"), "r").cast("r", "f", 1).
			node("Add", on("x", "f"), "y"), nil, []string{"w: float16 is on the way to it, and not trained"}},
		{"all by way of 16 bits", base.parameter("w", 2).parameter("v", 2).program("w v").node("Mul", on("x", "w"), "m").cast("m", "h", 10).cast("h", "f", 1).
			node("Add", on("f", "v"), "y"), []string{"v"}, []string{"w: float16 is on the way to it, and not trained"}},
		{"an output of 16 bits", base.parameter("w", 2).program("w").node("Mul", on("x", "w"), "m").cast("m", "y", 10), nil, []string{"w: float16 is on the way to it, and not trained"}},
		{"folded, by way of 16 bits", base.folded("sigmoid", on("w"), 2).program("w").cast("sigmoid", "h", 10).cast("h", "f", 1).node("Mul", on("x", "f"), "y"), nil,
			[]string{"w: float16 is on the way to it, and not trained"}},
		{"a shape by way of 16 bits", base.parameter("w", 2).program("w").cast("w", "h", 10).node("Shape", on("h"), "s").node("Reshape", on("w", "s"), "r").node("Add", on("x", "r"), "y"), []string{"w"}, nil},
		{"without a gradient", base.parameter("w", 2).program("w").node("Less", on("x", "w"), "l").node("Where", on("l", "x", "x"), "y"), nil, nil},
		{"new, once", base.filled("g", 1, 0, 2).note("g", "PARAMETER").program("g").node("Mul", on("x", "g"), "y"), []string{"g"}, nil},
		{"new, twice", base.filled("g", 1, 0, 2).note("g", "PARAMETER").program("g").node("Mul", on("x", "g"), "m").node("Mul", on("m", "g"), "y"), []string{"g"},
			[]string{`g: joined with what was equal: "g" is used 2 times`}},
		{"twice, with a lost buffer", base.parameter("g", 2).program("g", "scale").node("Mul", on("x", "g"), "m").node("Mul", on("m", "g"), "y"), []string{"g"},
			[]string{`g: joined with what was equal: "g" is used 2 times`}},
		{"twice, with a count of batches", base.parameter("g", 2).program("g", "n.num_batches_tracked").node("Mul", on("x", "g"), "m").node("Mul", on("m", "g"), "y"), []string{"g"}, nil},
		{"a GroupNorm", base.program("n.weight n.bias").filled("one", 1, 0, 3).folded("val_1", on("n.weight", "val_0"), 3, 1).folded("val_2", on("n.bias", "val_0"), 3, 1).
			initializer("axis", 7, 8, 1).node("Unsqueeze", on("x", "axis"), "u").
			node("InstanceNormalization", on("u", "one", "one"), "i").node("Reshape", on("i", "shape"), "r").initializer("shape", 7, 8, 3).
			node("Mul", on("r", "val_1"), "m").node("Add", on("m", "val_2"), "y"), []string{"val_1", "val_2"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			built, err := c.m.model(t, "y").Build(gorgonia.NewGraph(), builders.All())
			require.NoError(t, err)
			assert.Equal(t, c.trainable, names(built.Trainable()))
			assert.Equal(t, c.untrained, words(built.Untrained()))
			if weights := built.Trainable(); weights != nil {
				_, err = gorgonia.Grad(gorgonia.Must(gorgonia.Sum(built.Output("y"))), weights...)
				assert.NoError(t, err)
			}
		})
	}
}

// An output may be computed from parameters alone. Its values, not only its shape, may be in
// others, then.
func TestUntrainedThroughOutput(t *testing.T) {
	m := wireMessage{}.x().programOf("x", "sigmoid: USER_OUTPUT\nprelu", "p.weight").
		folded("s", on("p.weight"), 1, 2).folded("val_1", on("p.weight", "sigmoid"), 1, 2).node("PRelu", on("x", "val_1"), "y")
	built, err := m.model(t, "s", "y").Build(gorgonia.NewGraph(), builders.All())
	require.NoError(t, err)
	assert.Nil(t, built.Trainable())
	assert.Equal(t, []string{`p.weight: folded away: "s" and "val_1" computed from it`}, words(built.Untrained()))
}

func words(list []onnx.Untrained) []string {
	var texts []string
	for _, u := range list {
		texts = append(texts, u.String())
	}
	return texts
}

// The lines of the program on the nodes tell what is shared from what is joined, and what is
// unused from what is lost.
func TestUntrainedByLines(t *testing.T) {
	line := func(value, args string) string {
		return fmt.Sprintf("%%%s : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%s), kwargs = {})", value, args)
	}
	base := wireMessage{}.x().filled("g", 1, 0, 2).note("g", "PARAMETER")
	for _, c := range []struct {
		name      string
		m         wireMessage
		untrained []string
	}{
		{"shared", base.program("g").written(line("m", "%x, %p_g"), "Mul", on("x", "g"), "m").written(line("y", "%m, %p_g"), "Mul", on("m", "g"), "y"), nil},
		{"shared in a line", base.program("g").written(line("y", "%x, %p_g, %p_g"), "Mul", on("x", "g"), "m").written(line("y", "%x, %p_g, %p_g"), "Mul", on("m", "g"), "y"), nil},
		{"a constant in a line", base.program("g").written(line("y", "%x, %p_g"), "Mul", on("x", "g"), "m").written(line("y", "%x, %p_g"), "Mul", on("m", "g"), "y"),
			[]string{`g: joined with what was equal: "g" is used 2 times`}},
		{"a constant", base.program("g").written(line("m", "%x, %p_g"), "Mul", on("x", "g"), "m").written(line("y", "%m, 1.0"), "Mul", on("m", "g"), "y"),
			[]string{`g: joined with what was equal: "g" is used 2 times`}},
		{"a node without a line", base.program("g").written(line("m", "%x, %p_g"), "Mul", on("x", "g"), "m").node("Mul", on("m", "g"), "y"),
			[]string{`g: joined with what was equal: "g" is used 2 times`}},
		{"another parameter", base.program("g n.g").written(line("m", "%x, %p_g"), "Mul", on("x", "g"), "m").written(line("y", "%m, %p_n_g"), "Mul", on("m", "g"), "y"),
			[]string{`g: joined with what was equal: "g" is used 2 times`, `n.g: joined with "g", which was equal`}},
		{"folded into a layer", base.filled("l.g", 2, 1, 2).program("g l.g n.g").written(line("m", "%x, %p_g"), "Mul", on("x", "g"), "m").written(line("y", "%m, %p_n_g"), "Less", on("m", "l.g"), "l").
			written(line("y", "%m, %p_n_g"), "Where", on("l", "m", "x"), "y"), []string{"n.g: missing: equal to something else, folded away, or not used"}},
		{"unused", base.program("g h").written(line("y", "%x, %p_g"), "Mul", on("x", "g"), "y"), nil},
		{"unused, behind a result of several", base.program("g h").written(line("y", "%getitem_2, %p_g"), "Mul", on("x", "g"), "y"), nil},
		{"unused, behind what is computed", base.program("g h").folded("add_1", on("scale"), 2).written(line("y", "%add_1, %p_g"), "Mul", on("add_1", "g"), "y"), nil},
		{"dropped", base.program("g h").written(line("y", "%mul, %p_g"), "Mul", on("x", "g"), "y"), []string{"h: missing: equal to something else, folded away, or not used"}},
		{"perhaps dropped", base.program("g h").written(line("y", "%clone, %p_g"), "Mul", on("x", "g"), "y"), []string{"h: missing: equal to something else, folded away, or not used"}},
		{"a layer's, unused", base.program("g fc.weight fc.bias").written(line("y", "%clone, %p_g"), "Mul", on("x", "g"), "y"), nil},
		{"the last line dropped", base.program("g h").written(line("m", "%x, %p_g"), "Mul", on("x", "g"), "y"), []string{"h: missing: equal to something else, folded away, or not used"}},
		{"mentioned and lost", base.program("g h").written(line("y", "%x, %p_g, %p_h"), "Mul", on("x", "g"), "y"), []string{"h: missing: equal to something else, folded away, or not used"}},
		{"no line", base.program("g h").written("", "Mul", on("x", "g"), "y"), []string{"h: missing: equal to something else, folded away, or not used"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			built, err := c.m.model(t, "y").Build(gorgonia.NewGraph(), builders.All())
			require.NoError(t, err)
			assert.Equal(t, []string{"g"}, names(built.Trainable()))
			assert.Equal(t, c.untrained, words(built.Untrained()))
		})
	}
}

// The weights of recurrent layers are joined from parameters in another order.
func TestUntrainedRecurrent(t *testing.T) {
	gru := func(weight, recurrent, bias []string) wireMessage {
		attribute := wireMessage{}.bytes(1, []byte("hidden_size")).varint(3, 2).varint(20, 2)
		node := wireMessage{}.node("GRU", on("u", "val_1", "val_2", "val_3", "", "val_4"), "y")
		return wireMessage{}.x().initializer("axis", 7, 8, 1).node("Unsqueeze", on("x", "axis"), "u").
			program("w r b c h p q", "mask").folded("val_1", weight, 1, 6, 2).folded("val_2", recurrent, 1, 6, 2).folded("val_3", bias, 1, 12).folded("val_4", on("zeros", "val_0"), 1, 3, 2).
			bytes(1, append(node[2:], wireMessage{}.bytes(5, attribute)...))
	}
	for _, c := range []struct {
		name      string
		m         wireMessage
		trainable []string
		lost      []string
	}{
		{"sound", gru(on("w", "val_9", "zeros"), on("r", "val_9"), on("b", "c", "zeros")), []string{"val_1", "val_2", "val_3"}, []string{"h", "p", "q"}},
		{"computed", gru(on("w", "val_9", "mul_1", "zeros"), on("r", "val_9"), on("b", "c")), []string{"val_2", "val_3"}, []string{"w", "h", "p", "q"}},
		{"masked", gru(on("w", "mask"), on("r", "val_9"), on("b", "c")), []string{"val_2", "val_3"}, []string{"w", "h", "p", "q"}},
		{"of two parameters", gru(on("w", "p"), on("r"), on("b", "c")), []string{"val_2", "val_3"}, []string{"w", "h", "p", "q"}},
		{"one bias twice", gru(on("w"), on("r"), on("b", "val_0")), []string{"val_1", "val_2"}, []string{"b", "c", "h", "p", "q"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			built, err := c.m.model(t, "y").Build(gorgonia.NewGraph(), builders.All())
			require.NoError(t, err)
			assert.Equal(t, c.trainable, names(built.Trainable()))
			var lost []string
			for _, u := range built.Untrained() {
				lost = append(lost, u.Name)
			}
			assert.Equal(t, c.lost, lost)
		})
	}
}

// A signature of another form is none, and the marks decide.
func TestSignatureOfAnotherForm(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "of Python": "ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.PARAMETER: 2>)])"} {
		built, err := trained().note("w", "PARAMETER").bytes(16, entry("pkg.torch.export.ExportedProgram.graph_signature", text)).
			model(t, "y", "z").Build(gorgonia.NewGraph(), builders.All())
		require.NoError(t, err, name)
		assert.Equal(t, []string{"w"}, names(built.Trainable()), name)
		assert.Nil(t, built.Untrained(), name)
	}
}
